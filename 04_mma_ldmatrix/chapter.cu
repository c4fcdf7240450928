#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

using gemm::Major;
using mma_ldmatrix::Config;
using mma_ldmatrix::Fetch;
using mma_ldmatrix::LargeTiles;
using mma_ldmatrix::NarrowTiles;
using mma_ldmatrix::SmallTiles;

// The widest loads that the problem allows: 128 bits, or what sizes, strides and addresses permit.
template <class Tiles, Major kMajorB, Fetch kFetch>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = mma_ldmatrix::operands<T>(problem);
    switch (mma_ldmatrix::load_width<kMajorB>(g)) {
      case 8:
        return mma_ldmatrix::prepare<T, Config<Tiles, 8, kMajorB, kFetch>>(g);
      case 4:
        return mma_ldmatrix::prepare<T, Config<Tiles, 4, kMajorB, kFetch>>(g);
      case 2:
        return mma_ldmatrix::prepare<T, Config<Tiles, 2, kMajorB, kFetch>>(g);
      default:
        return mma_ldmatrix::prepare<T, Config<NarrowTiles, 1, kMajorB, kFetch>>(g);
    }
  });
}

template <class Tiles, Fetch kFetch>
harness::Plan by_major(const gemm::Problem& problem) {
  if (problem.b_major == Major::kK) return prepare<Tiles, Major::kK, kFetch>(problem);
  return prepare<Tiles, Major::kMn, kFetch>(problem);
}

// Large tiles, unless they would leave more than a quarter of the SMs without work.
template <Fetch kFetch>
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, mma_ldmatrix::kName);
  const std::int64_t tiles = ((problem.m + LargeTiles::BM - 1) / LargeTiles::BM) *
                             ((problem.n + LargeTiles::BN - 1) / LargeTiles::BN);
  if (4 * tiles < 3 * gpu::sm_count()) return by_major<SmallTiles, kFetch>(problem);
  return by_major<LargeTiles, kFetch>(problem);
}

const harness::Registration registration({
    .name = mma_ldmatrix::kName,
    .title = "mma.sync and ldmatrix",
    .idea = "tensor cores, their operands dealt out by ldmatrix",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"ldmatrix", "large tiles, or small ones where they are too few for the SMs",
             by_size<Fetch::kLdmatrix>},
            {"lds", "the same with fragments by shared loads of 32 bits", by_size<Fetch::kLds>},
            {"large_tiles", "128x256 tiles, 8 warps of 64x64",
             by_major<LargeTiles, Fetch::kLdmatrix>},
            {"small_tiles", "64x64 tiles, 4 warps of 32x32",
             by_major<SmallTiles, Fetch::kLdmatrix>},
        },
    .layouts = {"tn", "tt"},
});

}  // namespace

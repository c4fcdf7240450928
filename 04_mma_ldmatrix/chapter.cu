#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

#include <type_traits>

namespace {

using mma_ldmatrix::Config;
using mma_ldmatrix::FragmentLoad;
using mma_ldmatrix::LargeTiles;
using mma_ldmatrix::NarrowTiles;
using mma_ldmatrix::SmallTiles;

// The widest loads that the problem allows: 128 bits, or what K, strides and addresses permit.
// Narrow loads are many, and each takes a register: they run with small tiles.
template <class Tiles, FragmentLoad kLoad>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::with_load_width(problem, [&]<class T, int kVector>(const auto& g) -> harness::Plan {
    using Few = std::conditional_t<kVector == 1, NarrowTiles, SmallTiles>;
    using Suited = std::conditional_t<(kVector < 4), Few, Tiles>;
    return mma_ldmatrix::prepare<T, Config<Suited, kVector, kLoad>>(g);
  });
}

// Large tiles, unless they would leave more than a quarter of the SMs without work.
template <FragmentLoad kLoad>
harness::Plan by_size(const gemm::Problem& problem) {
  const auto tiles = gemm::tiles_of(problem, LargeTiles::BM, LargeTiles::BN);
  if (4 * tiles < 3 * gpu::sm_count()) return prepare<SmallTiles, kLoad>(problem);
  return prepare<LargeTiles, kLoad>(problem);
}

const harness::Registration registration({
    .name = mma_ldmatrix::kName,
    .title = "mma.sync and ldmatrix",
    .idea = "tensor cores, their operands loaded by ldmatrix",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"ldmatrix", "large tiles, or small ones where they are too few for the SMs",
             by_size<FragmentLoad::kLdmatrix>},
            {"lds", "the same with fragments by shared loads of 32 bits",
             by_size<FragmentLoad::kLds>},
            {"large_tiles", "128x256 tiles, 8 warps of 64x64",
             prepare<LargeTiles, FragmentLoad::kLdmatrix>},
            {"small_tiles", "64x64 tiles, 4 warps of 32x32",
             prepare<SmallTiles, FragmentLoad::kLdmatrix>},
        },
});

}  // namespace

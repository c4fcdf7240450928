#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

using warptiling::Config;

// The widest loads that the problem allows: 128 bits, or what K, strides and addresses permit.
template <class Tiles>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::plain_operands<T>(problem, warptiling::kName);
    switch (warptiling::load_width(g)) {
      case 8:
        return warptiling::prepare<T, Config<Tiles, 8>>(g);
      case 4:
        return warptiling::prepare<T, Config<Tiles, 4>>(g);
      case 2:
        return warptiling::prepare<T, Config<Tiles, 2>>(g);
      default:
        return warptiling::prepare<T, Config<Tiles, 1>>(g);
    }
  });
}

// Large tiles, unless they would leave more than a quarter of the SMs without work.
harness::Plan by_size(const gemm::Problem& problem) {
  using Large = warptiling::LargeTiles;
  gemm::validate(problem, warptiling::kName);
  const std::int64_t tiles =
      ((problem.m + Large::BM - 1) / Large::BM) * ((problem.n + Large::BN - 1) / Large::BN);
  if (4 * tiles < 3 * gpu::sm_count()) return prepare<warptiling::SliceK>(problem);
  return prepare<Large>(problem);
}

const harness::Registration registration({
    .name = warptiling::kName,
    .title = "Warp tiling",
    .idea = "tiles for warps, loads that run ahead of the arithmetic",
    .ceiling = harness::Ceiling::kFfma,
    .min_compute_capability = 80,
    .variants =
        {
            {"by_size", "large tiles, or slice_k where they are too few for the SMs", by_size},
            {"large_tiles", "128x256 tiles, 8 warps of 64x64", prepare<warptiling::LargeTiles>},
            {"slice_k", "32x64 tiles, four warps share every slice of K",
             prepare<warptiling::SliceK>},
        },
});

}  // namespace

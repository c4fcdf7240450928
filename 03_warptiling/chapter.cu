#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

namespace {

using warptiling::Config;
using warptiling::LargeTiles;
using warptiling::SmallTiles;

// The widest loads that the problem allows: 128 bits, or what K, strides and addresses permit.
template <class Tiles>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::with_load_width(problem, [&]<class T, int kVector>(const auto& g) -> harness::Plan {
    return warptiling::prepare<T, Config<Tiles, kVector>>(g);
  });
}

// Large tiles, unless they would leave more than a quarter of the SMs without work.
harness::Plan by_size(const gemm::Problem& problem) {
  const std::int64_t tiles = gemm::tiles_of(problem, LargeTiles::BM, LargeTiles::BN);
  if (4 * tiles < 3 * gpu::sm_count()) return prepare<SmallTiles>(problem);
  return prepare<LargeTiles>(problem);
}

const harness::Registration registration({
    .name = warptiling::kName,
    .title = "Warp tiling",
    .idea = "tiles for warps, loads that run ahead of the arithmetic",
    .ceiling = harness::Ceiling::kFfma,
    .min_compute_capability = 80,
    .variants =
        {
            {"by_size", "large tiles, or small ones where they are too few for the SMs", by_size},
            {"large_tiles", "128x256 tiles, 8 warps of 64x64", prepare<LargeTiles>},
            {"small_tiles", "64x64 tiles, 4 warps of 32x32", prepare<SmallTiles>},
        },
});

}  // namespace

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

const harness::Registration registration({
    .name = warptiling::kName,
    .title = "Warp tiling",
    .idea = "tiles for warps, loads that run ahead of the arithmetic",
    .ceiling = harness::Ceiling::kFfma,
    .min_compute_capability = 80,
    .variants =
        {
            {"warp_tiles", "128x256 tiles, 8 warps of 64x64", prepare<warptiling::LargeTiles>},
            {"slice_k", "32x64 tiles, four warps share every slice of K",
             prepare<warptiling::SliceK>},
        },
});

}  // namespace

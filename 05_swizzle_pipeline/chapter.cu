#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

#include <type_traits>

namespace {

using namespace swizzle_pipeline;

// With copies as wide as the problem allows: 128 bits, or what K, strides and addresses permit.
// Narrow copies are many; they run with small tiles.
template <class Tiles, int kStages>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::with_load_width(problem, [&]<class T, int kVector>(const auto& g) -> harness::Plan {
    using Few = Config<std::conditional_t<kVector == 1, NarrowTiles, SmallTiles>, 4, kVector>;
    using C = std::conditional_t<kVector == 8, Config<Tiles, kStages, 8>, Few>;
    return swizzle_pipeline::prepare<T, C>(g);
  });
}

// Large tiles with one thing done differently. Only what is measured, copies of 128 bits; other
// problems run as the default does.
template <int kStages, SmemLayout kLayout = SmemLayout::kSwizzled, int kGroupRows = 8,
          int kStoreWidth = 8>
harness::Plan compare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (gemm::load_width(g) < 8) return prepare<LargeTiles, 3>(problem);
    using C = Config<LargeTiles, kStages, 8, kLayout, kGroupRows, kStoreWidth>;
    return swizzle_pipeline::prepare<T, C>(g);
  });
}

// How fast a tiling's blocks are with all SMs busy (large tiles: 100), and how busy the SMs are.
template <class Tiles>
double score(const gemm::Problem& problem, double speed) {
  return speed * gemm::wave_efficiency(problem, Tiles::BM, Tiles::BN, gpu::sm_count());
}

// The tiling with the best score.
harness::Plan by_size(const gemm::Problem& problem) {
  const double large = score<LargeTiles>(problem, 100), medium = score<MediumTiles>(problem, 90),
               small = score<SmallTiles>(problem, 62);
  if (large >= medium && large >= small) return prepare<LargeTiles, 3>(problem);
  if (medium >= small) return prepare<MediumTiles, 4>(problem);
  return prepare<SmallTiles, 4>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Swizzles and a pipeline",
    .idea = "asynchronous copies several stages ahead, swizzled shared memory",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"by_size", "of three tilings the one that suits the size: 128x256, 128x128, 64x64",
             by_size},
            {"padded", "128x256 tiles with padded rows", compare<3, SmemLayout::kPadded>},
            {"unswizzled", "with rows neither swizzled nor padded", compare<3, SmemLayout::kPlain>},
            {"stages_2", "with 2 stages", compare<2>},
            {"raster_row", "with tiles of C row by row instead of in groups",
             compare<3, SmemLayout::kSwizzled, 1>},
            {"direct_epilogue", "with results straight from the accumulators",
             compare<3, SmemLayout::kSwizzled, 8, 2>},
        },
});

}  // namespace

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace swizzle_pipeline;

// With copies as wide as the problem allows: 128 bits, or what K, strides and addresses permit.
// Narrow copies are many; they run with small tiles.
template <class Tiles, int kStages>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    return with_epilogue<T>(
        problem, [&]<class Epilogue>(const Epilogue& epilogue) -> harness::Plan {
          const auto plan = [&]<class C>() -> harness::Plan {
            if (problem.split_k == 1) return swizzle_pipeline::prepare<T, C>(g, epilogue);
            return prepare_split<T, C>(g, epilogue, problem.split_k);
          };
          switch (copy_width(g)) {
            case 8:
              return plan.template operator()<Config<Tiles, kStages, 8>>();
            case 4:
              return plan.template operator()<Config<SmallTiles, 4, 4>>();
            case 2:
              return plan.template operator()<Config<SmallTiles, 4, 2>>();
            default:
              return plan.template operator()<Config<Shallow<SmallTiles>, 4, 1>>();
          }
        });
  });
}

// Large tiles with one thing done differently. Only what is measured: plain problems with 128-bit
// copies; the others run as `swizzled` does.
template <int kStages, SmemLayout kLayout = SmemLayout::kSwizzled,
          Store kStore = Store::kThroughSmem, int kGroupRows = 8, class Tiles = LargeTiles>
harness::Plan compare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    const bool plain =
        problem.epilogue.kind == gemm::EpilogueKind::kIdentity && problem.split_k == 1;
    if (!plain || copy_width(g) < 8) return prepare<LargeTiles, 3>(problem);
    using C = Config<Tiles, kStages, 8, kLayout, kStore, kGroupRows>;
    return swizzle_pipeline::prepare<T, C>(g, Identity{});
  });
}

// Does a grid of such tiles leave no more than a quarter of the SMs without work?
template <class Tiles>
bool enough(const gemm::Problem& problem) {
  const std::int64_t tiles =
      ((problem.m + Tiles::BM - 1) / Tiles::BM) * ((problem.n + Tiles::BN - 1) / Tiles::BN);
  return 4 * tiles >= 3 * gpu::sm_count();
}

// The largest tiles of which there are enough.
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (enough<LargeTiles>(problem)) return prepare<LargeTiles, 3>(problem);
  if (enough<MediumTiles>(problem)) return prepare<MediumTiles, 3>(problem);
  return prepare<SmallTiles, 4>(problem);
}

// Medium tiles, and K in as many parts as it takes to give every SM two of their blocks; where the
// tiles alone do that, one.
harness::Plan split_k(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (problem.split_k != 1) return prepare<MediumTiles, 3>(problem);
  const std::int64_t tiles = ((problem.m + MediumTiles::BM - 1) / MediumTiles::BM) *
                             ((problem.n + MediumTiles::BN - 1) / MediumTiles::BN);
  gemm::Problem split = problem;
  split.split_k = static_cast<int>(
      std::max<std::int64_t>(1, 2 * gpu::sm_count() / std::max<std::int64_t>(1, tiles)));
  return prepare<MediumTiles, 3>(split);
}

constexpr SmemLayout kSwizzled = SmemLayout::kSwizzled;
constexpr Store kThroughSmem = Store::kThroughSmem;

const harness::Registration registration({
    .name = kName,
    .title = "Swizzles and a pipeline",
    .idea = "asynchronous copies several stages ahead, swizzled shared memory",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"by_size", "the largest of three tilings that keeps the SMs busy", by_size},
            {"swizzled", "128x256 tiles, 8 warps of 64x64, 3 stages", prepare<LargeTiles, 3>},
            {"padded", "the same with padded rows", compare<3, SmemLayout::kPadded>},
            {"stages_2", "the same with 2 stages", compare<2>},
            {"stages_4", "with 4", compare<4>},
            {"stages_5", "with 5, half as deep",
             compare<5, kSwizzled, kThroughSmem, 8, Shallow<LargeTiles>>},
            {"raster_row", "tiles of C row by row instead of in groups",
             compare<3, kSwizzled, kThroughSmem, 1>},
            {"direct_epilogue", "results straight from the accumulators",
             compare<3, kSwizzled, Store::kDirect>},
            {"medium_tiles", "128x128 tiles, 4 warps of 64x64, 3 stages", prepare<MediumTiles, 3>},
            {"small_tiles", "64x64 tiles, 4 warps of 32x32, 4 stages", prepare<SmallTiles, 4>},
            {"split_k", "medium tiles, K in parts until every SM has work", split_k},
        },
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .splits_k = true,
});

}  // namespace

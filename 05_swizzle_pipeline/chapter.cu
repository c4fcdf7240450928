#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>
#include <cstdint>

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

std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

template <class Tiles>
std::int64_t tiles_of(const gemm::Problem& problem) {
  return ceil_div(problem.m, Tiles::BM) * ceil_div(problem.n, Tiles::BN);
}

// What a tiling is worth for a problem: how fast its blocks are with all SMs busy (large tiles:
// 100), and how busy they are if every SM works as long as the busiest.
template <class Tiles>
double score(const gemm::Problem& problem, double speed) {
  const std::int64_t tiles = tiles_of<Tiles>(problem), sms = gpu::sm_count();
  return speed * static_cast<double>(tiles) / static_cast<double>(ceil_div(tiles, sms) * sms);
}

// The tiling with the best score.
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (problem.m == 0 || problem.n == 0) return prepare<SmallTiles, 4>(problem);
  const double large = score<LargeTiles>(problem, 100), medium = score<MediumTiles>(problem, 95),
               small = score<SmallTiles>(problem, 62);
  if (large >= medium && large >= small) return prepare<LargeTiles, 3>(problem);
  if (medium >= small) return prepare<MediumTiles, 3>(problem);
  return prepare<SmallTiles, 4>(problem);
}

// With small tiles: K in as many parts as it takes to give every SM a block, but none shorter than
// four tiles, for each part costs a matrix of sums.
gemm::Problem in_parts(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  gemm::Problem split = problem;
  if (problem.split_k == 1) {
    const std::int64_t tiles = std::max<std::int64_t>(1, tiles_of<SmallTiles>(problem));
    const std::int64_t parts =
        std::min<std::int64_t>(gpu::sm_count() / tiles, problem.k / (4 * SmallTiles::BK));
    split.split_k = static_cast<int>(std::max<std::int64_t>(1, parts));
  }
  return split;
}

harness::Plan split_k(const gemm::Problem& problem) {
  return prepare<SmallTiles, 4>(in_parts(problem));
}

// In one launch where there is something to split and copies are of 128 bits; other problems run as
// `split_k` does.
harness::Plan split_k_fused(const gemm::Problem& problem) {
  const gemm::Problem split = in_parts(problem);
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(split);
    if (split.split_k == 1 || copy_width(g) < 8) return prepare<SmallTiles, 4>(split);
    return with_epilogue<T>(split, [&](const auto& epilogue) -> harness::Plan {
      return prepare_fused<T, Config<SmallTiles, 4, 8>>(g, epilogue, split.split_k);
    });
  });
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
            {"by_size", "of three tilings the one that suits the size", by_size},
            {"swizzled", "128x256 tiles, 8 warps of 64x64, 3 stages", prepare<LargeTiles, 3>},
            {"padded", "the same with padded rows", compare<3, SmemLayout::kPadded>},
            {"unswizzled", "the same with neither", compare<3, SmemLayout::kPlain>},
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
            {"split_k", "small tiles, K in parts until every SM has a block", split_k},
            {"split_k_fused", "the same in one launch", split_k_fused},
        },
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .splits_k = true,
});

}  // namespace

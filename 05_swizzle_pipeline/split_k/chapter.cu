#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

#include <algorithm>
#include <cstdint>

namespace {

using namespace split_k;

// As many splits as are asked for, or as it takes to give every SM a block: but none shorter than
// four k-tiles, for each split costs a matrix of accumulators.
int splits_of(const gemm::Problem& problem) {
  if (problem.split_k > 1) return problem.split_k;
  const std::int64_t tiles = gemm::tiles_of(problem, SmallTiles::BM, SmallTiles::BN);
  const std::int64_t splits = std::min<std::int64_t>(
      gpu::sm_count() / std::max<std::int64_t>(1, tiles), problem.k / (4 * SmallTiles::BK));
  return static_cast<int>(std::max<std::int64_t>(1, splits));
}

template <bool kFused>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    const auto with = [&]<class C>() -> harness::Plan {
      if constexpr (kFused) return prepare_fused<T, C>(g, splits_of(problem));
      return prepare<T, C>(g, splits_of(problem));
    };
    if (gemm::load_width(g) == 8) return with.template operator()<Config<SmallTiles, 4, 8>>();
    return with.template operator()<Config<NarrowTiles, 4, 1>>();
  });
}

const harness::Registration registration({
    .name = split_k::kName,
    .title = "Split-K",
    .idea = "K in splits until every SM has a block, in two launches or in one",
    .ceiling = harness::Ceiling::kMmaSync,
    .min_compute_capability = 80,
    .variants =
        {
            {"split_k", "64x64 tiles, a second kernel adds up the splits", plan<false>},
            {"split_k_fused", "in one launch, the last block of a tile adds them up", plan<true>},
        },
    .splits_k = true,
});

}  // namespace

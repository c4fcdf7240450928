#include "config.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace stores;

template <Rows kRows, auto kStoreWidth, gpu::Scope kScope = gpu::Scope::kBlock>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    using C = stores::Config<256, 4, kRows, kStoreWidth, kScope>;
    return cluster_multicast::prepare<T, C>(gemm::typed_operands<T>(problem));
  });
}

// With rows of B permuted where that is possible; other problems run as plain_rows does.
template <auto kStoreWidth, gpu::Scope kScope = gpu::Scope::kBlock>
harness::Plan permuted(const gemm::Problem& problem) {
  if (!cluster_multicast::can_permute(problem)) return plan<Rows::kPlain, 2>(problem);
  return plan<Rows::kPermuted, kStoreWidth, kScope>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Stores and scopes",
    .idea = "chapter 08's kernel with other stores of C, and barriers of cluster scope",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"cluster_2x1", "128x256 tiles, two blocks share B, as in chapter 08", permuted<8>},
            {"cluster_scope", "with all barriers by the forms of cluster scope",
             permuted<8, gpu::Scope::kCluster>},
            {"write_through", "with stores by __stwt", permuted<Store::kWide>},
            {"plain_rows", "rows of B as they come, stores of two elements", plan<Rows::kPlain, 2>},
            {"plain_write_through", "the same by __stwt", plan<Rows::kPlain, Store::kPairs>},
            {"plain_reordered", "the same, 16 columns at a time, lower rows first",
             plan<Rows::kPlain, Store::kPairsReordered>},
        },
    .tma_operands = true,
});

}  // namespace

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace stores;

template <Rows kRows, Store kStore = Store::kPlain, gpu::Scope kScope = gpu::Scope::kBlock>
using Large = stores::Config<128, 256, 4, kRows, kStore, kScope>;

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return stores::prepare<T, C>(gemm::typed_operands<T>(problem));
  });
}

// With rows of B permuted where that is possible; other problems run as plain_rows does.
template <Store kStore, gpu::Scope kScope = gpu::Scope::kBlock>
harness::Plan permuted(const gemm::Problem& problem) {
  if (!cluster_multicast::can_permute(problem)) return plan<Large<Rows::kPlain>>(problem);
  return plan<Large<Rows::kPermuted, kStore, kScope>>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Stores and scopes",
    .idea = "chapter 08's kernel with other stores of C, and barriers of cluster scope",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"cluster_2x1", "128x256 tiles, two blocks share B, as in chapter 08",
             permuted<Store::kPlain>},
            {"cluster_scope", "with all barriers by the forms of cluster scope",
             permuted<Store::kPlain, gpu::Scope::kCluster>},
            {"write_through", "with stores by __stwt", permuted<Store::kWriteThrough>},
            {"plain_rows", "rows of B as they come, stores of two elements",
             plan<Large<Rows::kPlain>>},
            {"plain_write_through", "the same by __stwt",
             plan<Large<Rows::kPlain, Store::kWriteThrough>>},
            {"plain_reordered", "the same, 16 columns at a time, lower rows first",
             plan<Large<Rows::kPlain, Store::kReordered>>},
        },
    .tma_operands = true,
});

}  // namespace

// What planted bugs are built with: clusters of four, in which everything is shared; two of them
// for all tiles of C, so that rings go on from tile to tile; rows of B both ways.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace cluster_multicast;

using OneConsumer = Config<64, 64, 3, 1, Rows::kPermuted, 2, 2>;
using TwoConsumers = Config<128, 64, 3, 2, Rows::kPlain, 2, 2>;

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 8u);
  return plan;
}

harness::Plan by_two_clusters(const gemm::Problem& problem) {
  return can_permute(problem) ? plan<OneConsumer>(problem) : plan<TwoConsumers>(problem);
}

const harness::Registration registration({.name = kName,
                                          .ceiling = harness::Ceiling::kWgmma,
                                          .variants = {{"by_two_clusters", "", by_two_clusters}},
                                          .tma_operands = true});

}  // namespace

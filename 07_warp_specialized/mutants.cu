// What planted bugs are built with: two blocks for all tiles of C, so that rings go on from tile to
// tile; two consumers where rows of B can be permuted, one where they cannot.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace warp_specialized;

using TwoConsumers = Config<128, 64, 4, 2>;
using OneConsumer = Config<64, 64, 3, 1, Rows::kPlain>;

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
  return plan;
}

harness::Plan by_two_blocks(const gemm::Problem& problem) {
  return can_permute(problem) ? plan<TwoConsumers>(problem) : plan<OneConsumer>(problem);
}

const harness::Registration registration({.name = kName,
                                          .ceiling = harness::Ceiling::kWgmma,
                                          .variants = {{"by_two_blocks", "", by_two_blocks}},
                                          .tma_operands = true});

}  // namespace

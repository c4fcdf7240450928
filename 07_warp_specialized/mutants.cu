// What planted bugs are built with: two blocks for all tiles of C, so that rings go on from tile to
// tile; two consumers, and rows of B both ways.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace warp_specialized;

template <Rows kRows>
harness::Plan plan(const gemm::Problem& problem) {
  using Small = Config<128, 64, 4, 2, kRows>;
  auto plan = prepare<core::bf16, Small>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
  return plan;
}

harness::Plan by_two_blocks(const gemm::Problem& problem) {
  return can_permute(problem) ? plan<Rows::kPermuted>(problem) : plan<Rows::kPlain>(problem);
}

const harness::Registration registration({.name = kName,
                                          .ceiling = harness::Ceiling::kWgmma,
                                          .variants = {{"by_two_blocks", "", by_two_blocks}},
                                          .tma_operands = true});

}  // namespace

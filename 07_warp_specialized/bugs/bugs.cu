// Two blocks for all tiles of C, so that rings go on from tile to tile; two consumers where rows of
// B can be permuted, one where they cannot.
#include "../plan.cuh"

using namespace warp_specialized;

template <class Config>
harness::Plan by_two_blocks(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, Config>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
  return plan;
}

harness::Plan plan(const gemm::Problem& problem) {
  if (can_permute(problem)) return by_two_blocks<Config<128, 64, 4, 2>>(problem);
  return by_two_blocks<Config<64, 64, 3, 1, Rows::kPlain>>(problem);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"by_two_blocks", "", plan}},
                               .tma_operands = true};

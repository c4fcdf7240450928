// Clusters of four, in which everything is shared; two of them for all tiles of C, so that rings go
// on from tile to tile; rows of B both ways.
#include "../plan.cuh"

using namespace cluster_multicast;

template <class Config>
harness::Plan by_two_clusters(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, Config>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 8u);
  return plan;
}

harness::Plan plan(const gemm::Problem& problem) {
  if (!can_permute(problem)) {
    return by_two_clusters<Config<128, 64, 3, 2, Rows::kPlain, 2, 2>>(problem);
  }
  return by_two_clusters<Config<64, 64, 3, 1, Rows::kPermuted, 2, 2>>(problem);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"by_two_clusters", "", plan}},
                               .tma_operands = true};

// One cluster for all tiles of C, so that rings go on from tile to tile; barriers of cluster scope;
// the two orders of stores, rows of B both ways.
#include "../config.cuh"

using namespace stores;

template <Rows kRows, auto kStoreWidth>
harness::Plan by_one_cluster(const gemm::Problem& problem) {
  using Small = stores::Config<64, 3, kRows, kStoreWidth, gpu::Scope::kCluster>;
  const auto g = gemm::typed_operands<core::bf16>(problem);
  auto plan = cluster_multicast::prepare<core::bf16, Small>(g);
  plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
  return plan;
}

harness::Plan plan(const gemm::Problem& problem) {
  if (cluster_multicast::can_permute(problem)) {
    return by_one_cluster<Rows::kPermuted, Store::kWide>(problem);
  }
  return by_one_cluster<Rows::kPlain, Store::kPairsReordered>(problem);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"by_one_cluster", "", plan}},
                               .tma_operands = true};

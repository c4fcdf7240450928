// Wide tiles: what large problems are computed by.

#include "tiling.cuh"

namespace every_shape {

using Wide = Tile<128, 256, 4, 2>;

harness::Plan prepare_wide(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (sector_rows(problem) || problem.m <= Wide::BM) return prepare_tiling<Wide>(problem, policy);
  if (problem.m <= 2 * Wide::BM) return prepare_cluster_2x1(problem, policy);
  return prepare_tiling<Clustered<4, 1, Wide>>(problem, policy);
}
harness::Plan prepare_cluster_2x1(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Clustered<2, 1, Wide>>(problem, policy);
}
harness::Plan prepare_wide_once(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<Wide>>(problem, policy);
}
harness::Plan prepare_wide_fallback(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (can_store_boxes(problem)) return prepare_wide(problem, policy);
  return plan_of<PlainRows<Direct<Wide>>>(problem, policy);
}

}  // namespace every_shape

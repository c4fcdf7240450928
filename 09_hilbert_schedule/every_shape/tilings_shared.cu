// Tiles that two blocks of a cluster, or four blocks that divide K, compute together.

#include "tiling.cuh"

namespace every_shape {

harness::Plan prepare_flat_pair(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Clustered<1, 2, AtOnce<Tile<192, 96, 6, 3>>>>(problem, policy);
}
harness::Plan prepare_block_pair(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Clustered<2, 1, AtOnce<Tile<128, 128, 6, 2>>>>(problem, policy);
}
harness::Plan prepare_slim_split(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_split<Tile<64, 32, 16, 1>, 4>(problem, policy, prepare_slim);
}

}  // namespace every_shape

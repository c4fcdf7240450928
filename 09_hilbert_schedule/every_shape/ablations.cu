// Wide tiles with a trick left out, or done otherwise.

#include "tiling.cuh"

namespace every_shape {

using Wide = Tile<128, 256, 4, 2>;

harness::Plan prepare_immediate(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Immediate<Wide>>(problem, policy);
}
harness::Plan prepare_direct(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Direct<Wide>>(problem, policy);
}
harness::Plan prepare_direct_immediate(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Immediate<Direct<Wide>>>(problem, policy);
}
harness::Plan prepare_in_flight(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<InFlight<Wide>>(problem, policy);
}
harness::Plan prepare_cluster_1x2(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Clustered<1, 2, Wide>>(problem, policy);
}

}  // namespace every_shape

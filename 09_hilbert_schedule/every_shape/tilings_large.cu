// Tiles with more accumulators than wide ones, or as many in another shape.

#include "tiling.cuh"

namespace every_shape {

harness::Plan prepare_large(const gemm::Problem& problem, const LaunchPolicy& policy) {
  using Large = Tile<192, 256, 4, 3, 128>;
  return prepare_tiling<NoColumn<Immediate<Direct<Large>>>>(problem, policy);
}
harness::Plan prepare_square(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Tile<192, 192, 4, 3>>(problem, policy);
}
harness::Plan prepare_tall(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<Tile<256, 128, 4, 2>>(problem, policy);
}
harness::Plan prepare_broad(const gemm::Problem& problem, const LaunchPolicy& policy) {
  using Broad = Tile<128, 384, 3, 2, 192>;
  return prepare_tiling<Immediate<Direct<Broad>>>(problem, policy);
}

}  // namespace every_shape

// Tiles between wide and small ones, and small ones whose blocks divide K.

#include "tiling.cuh"

namespace every_shape {

harness::Plan prepare_flat(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<Tile<192, 96, 6, 3>>>(problem, policy);
}
harness::Plan prepare_block(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<Tile<128, 128, 6, 2>>>(problem, policy);
}
harness::Plan prepare_upright(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<Tile<128, 64, 8, 2>>>(problem, policy);
}
harness::Plan prepare_tiny(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<Tile<64, 64, 8, 1>>>(problem, policy);
}
harness::Plan prepare_small_split(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_split<Tile<64, 128, 8, 1>, 2>(problem, policy, prepare_small);
}
harness::Plan prepare_tiny_split(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_split<Tile<64, 64, 12, 1>, 2>(problem, policy, prepare_tiny_deep);
}

}  // namespace every_shape

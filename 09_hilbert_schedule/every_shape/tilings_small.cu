// Small tiles with one consumer: what small problems are computed by.

#include "tiling.cuh"

namespace every_shape {

using Small = Tile<64, 128, 8, 1>;
using SmallPair = Tile<64, 128, 6, 1>;  // for blocks that share B
using TinyDeep = Tile<64, 64, 12, 1>;
using Slim = Tile<64, 32, 8, 1>;
using SlimDeep = Tile<64, 32, 16, 1>;

harness::Plan prepare_small(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<Small>>(problem, policy);
}
harness::Plan prepare_small_fallback(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (!can_store_boxes(problem)) return plan_of<PlainRows<AtOnce<Small>>>(problem, policy);
  if (sector_rows(problem) || problem.m <= Small::BM) {
    return plan_of<InFlight<Immediate<Small>>>(problem, policy);
  }
  return plan_of<Clustered<2, 1, InFlight<Immediate<SmallPair>>>>(problem, policy);
}
harness::Plan prepare_tiny_deep(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_tiling<AtOnce<TinyDeep>>(problem, policy);
}
// Of slim tiles many are to be on the way; but no more stages than there are k-tiles, for each has
// barriers to set up.
harness::Plan prepare_slim(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (problem.k <= Slim::kStages * Slim::BK) return prepare_tiling<AtOnce<Slim>>(problem, policy);
  return prepare_tiling<AtOnce<SlimDeep>>(problem, policy);
}

}  // namespace every_shape

#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "../plan.cuh"
#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

namespace stores {

// Tensor maps belong to pointers and sizes, so they are made here, and reach the kernel by value.
template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  constexpr int kSize = Config::Cluster::kSize, BM = Config::CM * Config::BM, BN = Config::BN;
  const unsigned tiles = gemm::tile_count(g.m, g.n, BM, BN, kName);  // of a cluster
  const Output<T> c{g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)};
  const TileSchedule schedule{gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN)};
  gpu::TensorMap map_a = {}, map_b = {};
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  auto plan = gemm::launch_plan(gemm_kernel<T, Config>,
                                {.grid = dim3(0),
                                 .block = dim3(Config::kThreads),
                                 .dynamic_smem = sizeof(SharedStorage<T, Config>),
                                 .cluster = dim3(kSize)},
                                map_a, map_b, c, schedule, gemm::ceil_div(g.k, Config::BK));
  const int most = gpu::max_active_clusters(gemm_kernel<T, Config>, plan.shape);
  plan.shape.grid = dim3(cluster_multicast::persistent_blocks(tiles, most) * kSize);
  return plan;
}

}  // namespace stores

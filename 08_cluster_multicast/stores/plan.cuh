#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "../plan.cuh"
#include "kernel.cuh"

namespace stores {

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class Config>
struct Plan {
  gpu::TensorMap map_a = {}, map_b = {};
  Output<T> c;
  TileSchedule schedule;
  int k_tiles;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, map_a, map_b, c, schedule, k_tiles);
  }
};

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  constexpr int kSize = Config::Cluster::kSize, BM = Config::CM * Config::BM, BN = Config::BN;
  const unsigned tiles = gemm::tile_count(g.m, g.n, BM, BN, kName);  // of a cluster
  Plan<T, Config> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)},
      .schedule = {gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN)},
      .k_tiles = gemm::ceil_div(g.k, Config::BK),
      .shape = {.grid = dim3(0),
                .block = dim3(Config::kThreads),
                .dynamic_smem = sizeof(SharedStorage<T, Config>),
                .cluster = dim3(kSize)},
  };
  const int most = gpu::max_active_clusters(gemm_kernel<T, Config>, plan.shape);
  plan.shape.grid = dim3(cluster_multicast::persistent_blocks(tiles, most) * kSize);
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return plan;
}

}  // namespace stores

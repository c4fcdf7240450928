#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "../plan.cuh"
#include "kernel.cuh"

namespace tokens {

// Tensor maps belong to pointers and sizes, so they live here, and reach the kernel by value.
template <class T, class Config>
struct Plan {
  gpu::TensorMap map_a = {}, map_b = {};
  Output<T> c;
  typename Config::Schedule schedule;
  int k_tiles;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, map_a, map_b, c, schedule, k_tiles);
  }
};

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  Plan<T, Config> plan{
      .c = {g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)},
      .schedule = {gemm::ceil_div(g.m, Config::BM), gemm::ceil_div(g.n, Config::BN)},
      .k_tiles = gemm::ceil_div(g.k, Config::BK),
      .shape = {.grid = dim3(std::min(tiles, static_cast<unsigned>(gpu::sm_count()))),
                .block = dim3(Config::kThreads),
                .dynamic_smem = sizeof(SharedStorage<T, Config>)},
  };
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    plan.map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    plan.map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return plan;
}

}  // namespace tokens

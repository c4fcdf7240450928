#pragma once
// From a problem to a launch: tensor maps, the schedule, how many blocks.

#include "../plan.cuh"
#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

namespace tokens {

// Tensor maps belong to pointers and sizes, so they are made here, and reach the kernel by value.
template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  const unsigned blocks = std::min(tiles, static_cast<unsigned>(gpu::sm_count()));
  const Output<T> c{g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)};
  const typename Config::Schedule schedule{gemm::ceil_div(g.m, Config::BM),
                                           gemm::ceil_div(g.n, Config::BN)};
  gpu::TensorMap map_a = {}, map_b = {};
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           map_a, map_b, c, schedule, gemm::ceil_div(g.k, Config::BK));
}

}  // namespace tokens

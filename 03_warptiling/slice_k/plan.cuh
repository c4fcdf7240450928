#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

namespace slice_k {

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= Config::TN;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(warptiling::SharedStorage<Config>)},
                           g, vector_stores);
}

}  // namespace slice_k

#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

#include <algorithm>

namespace n_major {

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= 2;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           g, vector_stores);
}

// Elements per load that both operands allow: A's rows have K elements, B's have N.
template <class T>
int load_width(const gemm::Operands<T>& g) {
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, g.n));
}

}  // namespace n_major

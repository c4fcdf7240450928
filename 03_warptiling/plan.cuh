#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gpu/launch.hpp>

#include <algorithm>

namespace warptiling {

template <class T, class Config>
struct Plan {
  gemm::Operands<T> operands;
  gpu::LaunchShape shape;
  bool vector_stores;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, operands, vector_stores);
  }
};

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= Config::TN;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {g,
          {.grid = dim3(blocks),
           .block = dim3(Config::kThreads),
           .dynamic_smem = sizeof(SharedStorage<Config>)},
          vector_stores};
}

// Elements per load that both operands allow: K, the leading dimensions and the addresses decide.
template <class T>
int load_width(const gemm::Operands<T>& g) {
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, g.k));
}

}  // namespace warptiling

#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gpu/launch.hpp>

namespace mma_ldmatrix {

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
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= 2;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {
      g,
      gpu::launch_shape(gemm_kernel<T, Config>, {.grid = dim3(blocks),
                                                 .block = dim3(Config::kThreads),
                                                 .dynamic_smem = sizeof(SharedStorage<T, Config>)}),
      vector_stores};
}

}  // namespace mma_ldmatrix

#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gpu/launch.hpp>

namespace naive {

template <class T, class Config>
struct Plan {
  gemm::Operands<T> operands;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, operands);
  }
};

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {g, {.grid = dim3(blocks), .block = dim3(Config::kThreads)}};
}

}  // namespace naive

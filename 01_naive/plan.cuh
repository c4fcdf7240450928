#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

namespace naive {

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks), .block = dim3(Config::kThreads)}, g);
}

}  // namespace naive

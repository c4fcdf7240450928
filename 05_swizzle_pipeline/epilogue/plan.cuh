#pragma once
// From a problem to a launch.

#include "kernel.cuh"

#include <gemm/launch_plan.hpp>

namespace epilogue {

template <class T, class Config, class Op>
auto prepare(const gemm::Operands<T>& g, const Op& op) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= Config::kStoreWidth;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config, Op>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           g, vector_stores, op);
}

// Calls use(op) with the op that the problem asks for.
template <class T, class Use>
auto with_op(const gemm::Epilogue& wanted, Use use) {
  switch (wanted.kind) {
    case gemm::EpilogueKind::kAlphaBeta:
      if (wanted.beta == 0.0f) return use(gemm::Scale{wanted.alpha});
      return use(gemm::AlphaBeta{wanted.alpha, wanted.beta});
    case gemm::EpilogueKind::kBiasRelu:
      return use(gemm::BiasRelu<T>{static_cast<const T*>(wanted.bias)});
    default:
      return use(gemm::Identity{});
  }
}

}  // namespace epilogue

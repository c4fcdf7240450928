#pragma once
// From a problem to a launch, as in the lesson.

#include "../plan.cuh"
#include "kernel.cuh"

namespace wgmma_lab {

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  return wgmma_tma::plan_tiles<Config>(gemm_kernel<T, Config>, g, kName);
}

}  // namespace wgmma_lab

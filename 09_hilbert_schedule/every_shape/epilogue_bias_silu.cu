// C = SiLU(A B^T + bias).

#include "epilogues.cuh"

namespace every_shape {

AnyPlan prepare_bias_silu(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_with_bias<gemm::BiasSilu>(problem, policy);
}

}  // namespace every_shape

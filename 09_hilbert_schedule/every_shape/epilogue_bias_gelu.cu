// C = GELU(A B^T + bias), by tanh.

#include "epilogues.cuh"

namespace every_shape {

AnyPlan prepare_bias_gelu(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_with_bias<gemm::BiasGelu>(problem, policy);
}

}  // namespace every_shape

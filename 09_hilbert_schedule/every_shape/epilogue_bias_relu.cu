// C = max(A B^T + bias, 0).

#include "epilogues.cuh"

namespace every_shape {

AnyPlan prepare_bias_relu(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_with_bias<gemm::BiasRelu>(problem, policy);
}

}  // namespace every_shape

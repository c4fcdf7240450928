// C = max(A B^T + bias, 0).

#include "epilogues.cuh"

namespace every_shape {

harness::Plan prepare_bias_relu(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const gemm::BiasRelu<T> op{static_cast<const T*>(problem.epilogue.bias)};
    return prepare_with<T>(problem, policy, op);
  });
}

}  // namespace every_shape

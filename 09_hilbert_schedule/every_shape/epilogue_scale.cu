// C = alpha A B^T: beta is 0, and C need not be read.

#include "epilogues.cuh"

namespace every_shape {

AnyPlan prepare_scale(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    return prepare_with<T>(problem, policy, gemm::Scale{problem.epilogue.alpha});
  });
}

}  // namespace every_shape

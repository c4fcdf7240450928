// C = alpha A B^T + beta C.

#include "epilogues.cuh"

namespace every_shape {

AnyPlan prepare_alpha_beta(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const gemm::AlphaBeta op{problem.epilogue.alpha, problem.epilogue.beta};
    return prepare_with<T>(problem, policy, op);
  });
}

}  // namespace every_shape

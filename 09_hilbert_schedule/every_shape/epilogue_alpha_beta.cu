// C = alpha A B^T + beta C. With beta = 0, C need not be read.

#include "epilogues.cuh"

namespace every_shape {

AnyPlan prepare_alpha_beta(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const float alpha = problem.epilogue.alpha, beta = problem.epilogue.beta;
    if (beta == 0.0f) return prepare_with<T>(problem, policy, gemm::Scale{alpha});
    return prepare_with<T>(problem, policy, gemm::AlphaBeta{alpha, beta});
  });
}

}  // namespace every_shape

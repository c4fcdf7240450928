// C = alpha A B^T + beta C, with another beta than 0: by wide tiles or small ones. Rows of B are
// permuted, so that a thread reads neighbours in C at once.

#include "build_tiling.cuh"
#include "choose.hpp"

every_shape::AnyPlan every_shape::prepare_alpha_beta(const gemm::Problem& problem,
                                                     const LaunchPolicy& policy) {
  using Wide = Direct<Tile<128, 256, 4, 2>>;
  using Small = AtOnce<Tile<64, 128, 8, 1>>;
  const gemm::AlphaBeta op{problem.epilogue.alpha, problem.epilogue.beta};
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const auto g = gemm::typed_operands<T>(problem);
    if (!can_store_wide(problem)) return prepare<T, Config<PlainRows<Wide>>>(g, policy, op);
    if (!wants_wide(problem)) return prepare<T, Config<Small>>(g, policy, op);
    // What C holds is read into the registers in which results would wait.
    return prepare<T, Config<Immediate<Wide>>>(g, policy, op);
  });
}

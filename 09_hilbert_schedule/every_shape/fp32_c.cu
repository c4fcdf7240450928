// C in fp32.

#include "build_tiling.cuh"

every_shape::AnyPlan every_shape::prepare_fp32_c(const gemm::Problem& problem,
                                                 const LaunchPolicy& policy) {
  using Choice = PlainRows<Immediate<Direct<Tile<128, 256, 4, 2>>>>;
  const gemm::Epilogue& wanted = problem.epilogue;
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const auto g = gemm::typed_operands<T, float>(problem);
    if (!wanted.reads_c()) return prepare<T, Config<Choice>>(g, policy, Linear<T>(wanted));
    return prepare<T, Config<Choice>>(g, policy, gemm::AlphaBeta{wanted.alpha, wanted.beta});
  });
}

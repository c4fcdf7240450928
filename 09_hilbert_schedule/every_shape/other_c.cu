// What few tilings compute: other layouts than tn, epilogues that read C, and C in fp32.

#include "build_tiling.cuh"
#include "choose.hpp"

every_shape::AnyPlan every_shape::prepare_other_layout(const gemm::Problem& problem,
                                                       const LaunchPolicy& policy) {
  using enum core::Major;
  return gemm::dispatch_type(problem.type, [&]<class T>() {
    if (problem.a_major == kK) return prepare_majors<T, kK, kMn>(problem, policy);
    if (problem.b_major == kK) return prepare_majors<T, kMn, kK>(problem, policy);
    return prepare_majors<T, kMn, kMn>(problem, policy);
  });
}

// C = alpha A B^T + beta C, with another beta than 0: by wide tiles or small ones. Rows of B are
// permuted, so that a thread reads neighbours in C at once.
every_shape::AnyPlan every_shape::prepare_alpha_beta(const gemm::Problem& problem,
                                                     const LaunchPolicy& policy) {
  // Immediate: what C holds is read into the registers in which results would wait.
  using Wide = Immediate<Direct<Tile<128, 256, 4, 2>>>;
  using Small = AtOnce<Tile<64, 128, 8, 1>>;
  const gemm::AlphaBeta op{problem.epilogue.alpha, problem.epilogue.beta};
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const auto g = gemm::typed_operands<T>(problem);
    if (!can_store_wide(problem)) return prepare<T, Config<PlainRows<Wide>>>(g, policy, op);
    if (!wants_wide(problem)) return prepare<T, Config<Small>>(g, policy, op);
    return prepare<T, Config<Wide>>(g, policy, op);
  });
}

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

#pragma once
// How a tiling is built: a kernel for both element types.

#include "plan.cuh"
#include "tilings.hpp"

namespace every_shape {

template <class Choice>
harness::Plan plan_of(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy);
  });
}

// By Choice, unless that is not for this problem.
template <class Choice>
harness::Plan prepare_tiling(const gemm::Problem& problem, const LaunchPolicy& policy) {
  const bool a_along_k = problem.a_major == core::Major::kK;
  const bool b_along_k = problem.b_major == core::Major::kK;
  if (!a_along_k) return b_along_k ? prepare_nn(problem, policy) : prepare_nt(problem, policy);
  if (!b_along_k) return prepare_tt(problem, policy);
  if (problem.c_type != problem.type) return prepare_fp32_c(problem, policy);
  switch (problem.epilogue.kind) {
    case gemm::EpilogueKind::kAlphaBeta:
      return problem.epilogue.beta == 0.0f ? prepare_scale(problem, policy)
                                           : prepare_alpha_beta(problem, policy);
    case gemm::EpilogueKind::kBiasRelu:
      return prepare_bias_relu(problem, policy);
    case gemm::EpilogueKind::kIdentity:
      break;
  }
  constexpr bool kPermuted = Choice::kRows == Rows::kPermuted;
  const bool fits = kPermuted ? can_permute(problem) : can_store_boxes(problem);
  if (!fits) return prepare_fallback(problem, policy);
  return plan_of<Choice>(problem, policy);
}

// K divided by kSplits blocks, unless tiles are enough for all SMs: more blocks would only have
// more accumulators to store.
template <class Choice, int kSplits>
harness::Plan prepare_split(const gemm::Problem& problem, const LaunchPolicy& policy,
                            Prepare* whole) {
  const std::int64_t tiles = gemm::tiles_of(problem, Choice::BM, Choice::BN);
  if (tiles > gpu::sm_count() / kSplits) return whole(problem, policy);
  using Split = SplitK<kSplits, AtOnce<Choice>>;
  const bool plain = problem.c_type == problem.type &&
                     problem.epilogue.kind == gemm::EpilogueKind::kIdentity &&
                     problem.a_major == core::Major::kK && problem.b_major == core::Major::kK;
  if (plain && !can_permute(problem)) return plan_of<PlainRows<Split>>(problem, policy);
  return prepare_tiling<Split>(problem, policy);
}

}  // namespace every_shape

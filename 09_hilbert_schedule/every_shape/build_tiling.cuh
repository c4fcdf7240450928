#pragma once
// How a tiling is built: a kernel for both element types.

#include "plan.cuh"
#include "tilings.hpp"

namespace every_shape {

template <class Choice>
AnyPlan plan_of(gemm::Problem problem, const LaunchPolicy& policy) {
  if (Choice::kTransposed) problem = transposed(problem);
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy);
  });
}

// By Choice, unless that is not for this problem.
template <class Choice>
AnyPlan prepare_tiling(const gemm::Problem& problem, const LaunchPolicy& policy) {
  using enum core::Major;
  const bool a_along_k = problem.a_major == kK, b_along_k = problem.b_major == kK;
  if (!a_along_k && b_along_k) return prepare_majors<kMn, kK>(problem, policy);
  if (!a_along_k) return prepare_majors<kMn, kMn>(problem, policy);
  if (!b_along_k) return prepare_majors<kK, kMn>(problem, policy);
  if (problem.c_type != problem.type) return prepare_fp32_c(problem, policy);
  switch (problem.epilogue.kind) {
    case gemm::EpilogueKind::kAlphaBeta:
      return prepare_alpha_beta(problem, policy);
    case gemm::EpilogueKind::kBias:
      return prepare_with_bias<gemm::Bias>(problem, policy);
    case gemm::EpilogueKind::kBiasRelu:
      return prepare_with_bias<gemm::BiasRelu>(problem, policy);
    case gemm::EpilogueKind::kBiasGelu:
      return prepare_with_bias<gemm::BiasGelu>(problem, policy);
    case gemm::EpilogueKind::kBiasSilu:
      return prepare_with_bias<gemm::BiasSilu>(problem, policy);
    case gemm::EpilogueKind::kIdentity:
      break;
  }
  if (!can_store_wide(problem)) return prepare_narrow_stores(problem, policy);
  return plan_of<Choice>(problem, policy);
}

// A member of the family.
template <class Choice>
Tiling tiling_of() {
  return {.rows = Choice::BM,
          .cols = Choice::BN,
          .deferred = Choice::kDeferred,
          .by_tma = Choice::kStore == Store::kTma,
          .share_a = Choice::CN,
          .share_b = Choice::CM,
          .transposed = Choice::kTransposed,
          .stream_k = Choice::kStreamK};
}
template <class Choice>
BuiltTiling built() {
  return {tiling_of<Choice>(), prepare_tiling<Choice>, [](const gemm::Problem& problem) {
            return with_workspace(prepare_tiling<Choice>(problem, {}));
          }};
}
template <class... Choices>
std::vector<BuiltTiling> members() {
  return {built<Choices>()...};
}

}  // namespace every_shape

#pragma once
// How a tiling is built: a kernel for both element types.

#include "plan.cuh"
#include "tilings.hpp"

namespace every_shape {

template <class T, class Choice>
AnyPlan typed_plan_of(const gemm::Problem& given, const LaunchPolicy& policy) {
  const gemm::Problem problem = Choice::kTransposed ? transposed(given) : given;
  return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy);
}
template <class Choice>
AnyPlan plan_of(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type,
                             [&]<class T>() { return typed_plan_of<T, Choice>(problem, policy); });
}
// The same with any epilogue that does not read C.
template <class Choice>
AnyPlan linear_plan_of(const gemm::Problem& given, const LaunchPolicy& policy) {
  const gemm::Problem problem = Choice::kTransposed ? transposed(given) : given;
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const Linear<T> op(problem.epilogue);
    return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy, op);
  });
}

// By Choice, unless that is not for this problem.
template <class Choice>
AnyPlan prepare_tiling(const gemm::Problem& problem, const LaunchPolicy& policy) {
  constexpr auto kAlongK = core::Major::kK;
  if (problem.a_major != kAlongK || problem.b_major != kAlongK)
    return prepare_other_layout(problem, policy);
  if (problem.c_type != problem.type) return prepare_fp32_c(problem, policy);
  if (problem.epilogue.reads_c()) return prepare_alpha_beta(problem, policy);
  if (!can_store_wide(problem)) return prepare_narrow_stores(problem, policy);
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity)
    return linear_plan_of<Choice>(problem, policy);
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
          .stream_k = Choice::kStreamK,
          .split_k = Choice::kSplitK,
          .ping_pong = Choice::kPingPong};
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

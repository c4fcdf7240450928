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
  if (!can_store_wide(problem)) return prepare_narrow_stores(problem, policy);
  if constexpr (Choice::kSplits > 1) {
    // Where tiles are enough for all SMs, more blocks would only have more accumulators to store.
    const std::int64_t tiles = gemm::tiles_of(problem, Choice::BM, Choice::BN);
    if (tiles > gpu::sm_count() / Choice::kSplits) return choose(problem).prepare(problem, policy);
  }
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
          .splits = Choice::kSplits};
}
template <class Choice>
BuiltTiling built() {
  return {tiling_of<Choice>(), prepare_tiling<Choice>,
          [](const gemm::Problem& problem) { return prepare_tiling<Choice>(problem, {}); }};
}
// Members with tiles of BM rows, by their columns.
template <int BM, int... BN>
std::vector<BuiltTiling> stored_at_once() {
  return {built<StoredAtOnce<BM, BN>>()...};
}

}  // namespace every_shape

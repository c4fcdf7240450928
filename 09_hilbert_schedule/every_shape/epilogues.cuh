#pragma once
// Plans for another EpilogueOp than identity.

#include "build_tiling.cuh"
#include "choose.hpp"

namespace every_shape {

// With `op`, in which the elements of the problem are T.
template <class T, class Op>
harness::Plan prepare_with(const gemm::Problem& problem, const LaunchPolicy& policy, const Op& op) {
  using Wide = Tile<128, 256, 4, 2>;
  using Small = Tile<64, 128, 8, 1>;
  const auto plan = [&]<class Choice>() {
    return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy, op);
  };
  if (!can_store_wide(problem)) return plan.template operator()<PlainRows<Direct<Wide>>>();
  if (!wants_wide(problem)) return plan.template operator()<AtOnce<Small>>();
  // What C holds is read into the registers in which results are on their way.
  if constexpr (Op::kReadsC) {
    return plan.template operator()<Immediate<Direct<Wide>>>();
  } else {
    return plan.template operator()<Direct<Wide>>();
  }
}

}  // namespace every_shape

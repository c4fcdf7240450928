// Single elements, in two launches and in one.
#include "../plan.cuh"

using namespace split_k;
using Small = Config<NarrowTiles, 4, 1>;

template <bool kFused>
harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  if constexpr (kFused) return prepare_fused<core::bf16, Small>(g, problem.split_k);
  return prepare<core::bf16, Small>(g, problem.split_k);
}

const harness::Chapter chapter{.name = split_k::kName,
                               .ceiling = harness::Ceiling::kMmaSync,
                               .variants = {{"two", "", plan<false>}, {"fused", "", plan<true>}},
                               .splits_k = true};

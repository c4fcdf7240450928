// What planted bugs are built with: single elements, in two launches and in one.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace split_k;
using C = Config<NarrowTiles, 4, 1>;

template <bool kFused>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if constexpr (kFused) return prepare_fused<T, C>(g, problem.split_k);
    return prepare<T, C>(g, problem.split_k);
  });
}

const harness::Registration registration({
    .name = split_k::kName,
    .ceiling = harness::Ceiling::kMmaSync,
    .variants = {{"two", "", plan<false>}, {"fused", "", plan<true>}},
    .splits_k = true,
});

}  // namespace

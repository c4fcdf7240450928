#pragma once
// Plans for another EpilogueOp than identity.

#include "build_tiling.cuh"
#include "choose.hpp"

#include <type_traits>

namespace every_shape {

// By wide tiles or small ones.
template <class T, class Op>
AnyPlan prepare_with(const gemm::Problem& problem, const LaunchPolicy& policy, const Op& op) {
  using Wide = Tile<128, 256, 4, 2>;
  using Small = Tile<64, 128, 8, 1>;
  // What C holds is read into the registers in which results are on their way.
  using Usual = std::conditional_t<Op::kReadsC, Immediate<Direct<Wide>>, Direct<Wide>>;
  const auto g = gemm::typed_operands<T>(problem);
  if (!can_store_wide(problem)) return prepare<T, Config<PlainRows<Direct<Wide>>>>(g, policy, op);
  if (!wants_wide(problem)) return prepare<T, Config<AtOnce<Small>>>(g, policy, op);
  return prepare<T, Config<Usual>>(g, policy, op);
}

// By the one of the Choices that should take least time. A tiling that is stored beside the next
// one's MMAs is known to the model as stored by TMA.
template <class T, class... Choices, class Op>
AnyPlan prepare_fastest(const gemm::Problem& problem, const LaunchPolicy& policy, const Op& op) {
  using Make = AnyPlan(const gemm::Operands<T>&, const LaunchPolicy&, const Op&);
  static constexpr Make* kMake[] = {
      [](const gemm::Operands<T>& g, const LaunchPolicy& how, const Op& with) -> AnyPlan {
        return prepare<T, Config<Choices>>(g, how, with);
      }...};
  static const TilingChoice choice([] {
    std::vector<Tiling> tilings = {tiling_of<Choices>()...};
    for (Tiling& tiling : tilings) tiling.by_tma = tiling.deferred;
    return tilings;
  }());
  return kMake[choice.fastest(problem)](gemm::typed_operands<T>(problem), policy, op);
}

// Stored at once, with room for a bias beside the stages.
template <int BM, int BN>
using AtOnceWithColumn = AtOnce<Tile<BM, BN, stages_that_fit(BM, BN, 1, BM / 64), BM / 64>>;

// With an EpilogueOp that adds a bias.
template <template <class> class Op>
AnyPlan prepare_with_bias(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> AnyPlan {
    const Op<T> op{static_cast<const T*>(problem.epilogue.bias)};
    if (!can_store_wide(problem)) return prepare_with<T>(problem, policy, op);
    return prepare_fastest<T, AtOnceWithColumn<64, 32>, AtOnceWithColumn<64, 64>,
                           AtOnceWithColumn<64, 128>, AtOnceWithColumn<128, 128>,
                           AtOnceWithColumn<128, 192>, Direct<Tile<128, 256, 4, 2>>,
                           StreamK<AtOnceWithColumn<64, 32>>, StreamK<AtOnceWithColumn<64, 64>>>(
        problem, policy, op);
  });
}

}  // namespace every_shape

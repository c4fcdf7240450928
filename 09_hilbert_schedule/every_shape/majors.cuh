#pragma once
// Plans for operands that are not both contiguous along K.

#include "family.cuh"

#include <core/error.hpp>

#include <string>
#include <type_traits>

namespace every_shape {

using enum core::Major;

// A tiling for operands of these majors; of C^T it has B and A.
template <core::Major kMajorA, core::Major kMajorB, class Choice>
using In = std::conditional_t<Choice::kTransposed, Majors<kMajorB, kMajorA, Choice>,
                              Majors<kMajorA, kMajorB, Choice>>;

// By the one of the Choices that should take least time.
template <core::Major kMajorA, core::Major kMajorB, class... Choices>
AnyPlan prepare_fastest(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity || problem.c_type != problem.type) {
    throw core::Refused(std::string(kName) +
                        ": with an epilogue or with C in fp32, takes A and B with K contiguous "
                        "(layout tn) only");
  }
  if (!can_store_wide(problem)) {
    using Wide = Tile<128, 256, 4, 2>;
    return plan_of<In<kMajorA, kMajorB, PlainRows<Direct<Wide>>>>(problem, policy);
  }
  static const TilingChoice choice(
      {{tiling_of<Choices>(), plan_of<In<kMajorA, kMajorB, Choices>>, nullptr}...});
  return choice.fastest(problem).prepare(problem, policy);
}

template <class...>
struct Tiles {};
// One operand along K: its rows are columns of the usual tiles, of C or of C^T, and rows of others.
using UsualTiles =
    Tiles<StoredAtOnce<64, 32>, StreamK<StoredAtOnce<64, 32>>, StoredAtOnce<64, 48>,
          C<64, 48, 2, 4>, ByTma<64, 64, 1, 8>, ByTma<64, 64, 2, 4>, StreamK<ByTma<64, 80>>,
          ByTma<64, 96, 4, 2>, ByTma<64, 112>, ByTma<64, 144>, ByTma<64, 160>, ByTma<128, 64, 1, 8>,
          ByTma<128, 64, 2, 4>, ByTma<128, 96>, ByTma<128, 96, 4, 2>, ByTma<128, 112, 2, 4>,
          ByTma<128, 128, 2, 4>, ByTma<128, 128, 4, 2>, ByTma<128, 144>, ByTma<128, 144, 2, 4>,
          ByTma<128, 144, 4, 2>, ByTma<128, 176>, DeferredByTma<128, 224>, ByTma<128, 240, 2, 1>,
          ByTma<192, 112, 1, 2>, ByTma<192, 144, 1, 2>, ByTma<192, 160, 1, 2>>;
using OtherTiles =
    Tiles<ByTma<128, 160>, ByTma<128, 160, 4, 2>, DeferredByTma<128, 256>, DeferredByTma<192, 192>>;

template <core::Major kMajorA, core::Major kMajorB, class... Usual, class... Others>
AnyPlan prepare_one_along_k(const gemm::Problem& problem, const LaunchPolicy& policy,
                            Tiles<Usual...>, Tiles<Others...>) {
  if constexpr (kMajorB == kK) {
    return prepare_fastest<kMajorA, kMajorB, Usual..., Transposed<Others>...>(problem, policy);
  } else {
    return prepare_fastest<kMajorA, kMajorB, Transposed<Usual>..., Others...>(problem, policy);
  }
}
template <core::Major kMajorA, core::Major kMajorB>
AnyPlan prepare_majors(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_one_along_k<kMajorA, kMajorB>(problem, policy, UsualTiles(), OtherTiles());
}

}  // namespace every_shape

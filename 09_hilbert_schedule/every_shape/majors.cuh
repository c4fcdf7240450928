#pragma once
// Plans for operands that are not both contiguous along K.

#include "build_tiling.cuh"

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
      {{tiling_of<Choices>(), plan_of<In<kMajorA, kMajorB, Choices>>, nullptr}...}, 1);
  return choice.fastest(problem).prepare(problem, policy);
}

// Where an operand is contiguous along M or N, tiles have its rows in multiples of 64. `Short`:
// tiles for few rows of one that is contiguous along K.
template <core::Major kMajorA, core::Major kMajorB, class... Short>
AnyPlan prepare_with(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_fastest<kMajorA, kMajorB, AtOnceByTma<64, 64>, AtOnceByTma<64, 128>,
                         AtOnceByTma<128, 64>, AtOnceByTma<128, 128>, AtOnceByTma<128, 192>,
                         AtOnceByTma<192, 128>, DeferredByTma<192, 192>, DeferredByTma<128, 256>,
                         StreamK<AtOnceByTma<64, 64>>, StreamK<AtOnceByTma<128, 128>>, Short...,
                         StreamK<Short>...>(problem, policy);
}
template <core::Major kMajorA, core::Major kMajorB>
AnyPlan prepare_majors(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if constexpr (kMajorA == kMajorB) {
    return prepare_with<kMajorA, kMajorB>(problem, policy);
  } else {
    using Short =
        std::conditional_t<kMajorA == kMn, StoredAtOnce<64, 32>, TransposedAtOnce<64, 32>>;
    return prepare_with<kMajorA, kMajorB, Short>(problem, policy);
  }
}

}  // namespace every_shape

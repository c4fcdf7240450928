#pragma once
// Plans for operands that are not both contiguous along K.

#include "family.cuh"
#include "tiling_choice.hpp"

#include <core/error.hpp>

#include <string>
#include <type_traits>

namespace every_shape {

using enum core::Major;

// A tiling for operands of these majors; of C^T it has B and A.
template <core::Major kMajorA, core::Major kMajorB, class Choice>
using In = std::conditional_t<Choice::kTransposed, Majors<kMajorB, kMajorA, Choice>,
                              Majors<kMajorA, kMajorB, Choice>>;

template <class T, core::Major kMajorA, core::Major kMajorB, class... Choices>
const TilingChoice& choice_of() {
  static const TilingChoice choice(
      {{tiling_of<Choices>(), typed_plan_of<T, In<kMajorA, kMajorB, Choices>>, nullptr}...});
  return choice;
}

template <class T, core::Major kMajorA, core::Major kMajorB>
AnyPlan prepare_majors(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity || problem.c_type != problem.type) {
    throw core::Refused(std::string(kName) +
                        ": with an epilogue or with C in fp32, takes A and B with K contiguous "
                        "(layout tn) only");
  }
  if (!can_store_wide(problem)) {
    using Wide = Tile<128, 256, 4, 2>;
    return typed_plan_of<T, In<kMajorA, kMajorB, PlainRows<Direct<Wide>>>>(problem, policy);
  }
  return choice_of_majors<T, kMajorA, kMajorB>().fastest(problem).prepare(problem, policy);
}

}  // namespace every_shape

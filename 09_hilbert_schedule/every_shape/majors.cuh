#pragma once
// Plans for operands that are not both contiguous along K.

#include "build_tiling.cuh"

#include <core/error.hpp>

#include <string>

namespace every_shape {

template <core::Major kMajorA, core::Major kMajorB>
AnyPlan prepare_majors(const gemm::Problem& problem, const LaunchPolicy& policy) {
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity || problem.c_type != problem.type) {
    throw core::Refused(std::string(kName) +
                        ": with an epilogue or with C in fp32, takes A and B with K contiguous "
                        "(layout tn) only");
  }
  using Wide = Majors<kMajorA, kMajorB, Tile<128, 256, 4, 2>>;
  if (can_store_wide(problem)) return plan_of<Wide>(problem, policy);
  return plan_of<PlainRows<Direct<Wide>>>(problem, policy);
}

}  // namespace every_shape

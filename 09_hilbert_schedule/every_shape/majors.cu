// Operands that are contiguous along M or N.

#include "tiling.cuh"

#include <core/error.hpp>

#include <string>

namespace every_shape {

harness::Plan prepare_majors(const gemm::Problem& problem, const LaunchPolicy& policy) {
  using core::Major;
  if (problem.epilogue.kind != gemm::EpilogueKind::kIdentity || problem.c_type != problem.type) {
    throw core::Refused(std::string(kName) +
                        ": with an epilogue or with C in fp32, takes A and B with K contiguous "
                        "(layout tn) only");
  }
  using Wide = Tile<128, 256, 4, 2>;
  const auto plan_for = [&]<Major kA, Major kB>() {
    if (can_store_boxes(problem)) return plan_of<Majors<kA, kB, Wide>>(problem, policy);
    return plan_of<Majors<kA, kB, PlainRows<Direct<Wide>>>>(problem, policy);
  };
  if (problem.a_major == Major::kK) return plan_for.template operator()<Major::kK, Major::kMn>();
  if (problem.b_major == Major::kK) return plan_for.template operator()<Major::kMn, Major::kK>();
  return plan_for.template operator()<Major::kMn, Major::kMn>();
}

}  // namespace every_shape

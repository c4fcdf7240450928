// Layout nt: A is contiguous along M, B along N.

#include "majors.cuh"

namespace every_shape {

AnyPlan prepare_nt(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_majors<core::Major::kMn, core::Major::kMn>(problem, policy);
}

}  // namespace every_shape

// Layout tt: A is contiguous along K, B along N.

#include "majors.cuh"

namespace every_shape {

AnyPlan prepare_tt(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_majors<core::Major::kK, core::Major::kMn>(problem, policy);
}

}  // namespace every_shape

// Layout nn: A is contiguous along M, B along K.

#include "majors.cuh"

namespace every_shape {

AnyPlan prepare_nn(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_majors<core::Major::kMn, core::Major::kK>(problem, policy);
}

}  // namespace every_shape

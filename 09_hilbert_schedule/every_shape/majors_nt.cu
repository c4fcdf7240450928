// Layout nt: A is contiguous along M, B along N.

#include "majors.cuh"

namespace every_shape {

template <>
AnyPlan prepare_majors<kMn, kMn>(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_by_size<kMn, kMn>(problem, policy);
}

}  // namespace every_shape

// Layout tt: A is contiguous along K, B along N.

#include "majors.cuh"

namespace every_shape {

template <>
AnyPlan prepare_majors<kK, kMn>(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_by_size<kK, kMn, TransposedAtOnce<64, 32>, StreamK<TransposedAtOnce<64, 32>>>(
      problem, policy);
}

}  // namespace every_shape

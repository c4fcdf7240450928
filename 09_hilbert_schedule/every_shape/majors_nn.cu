// Layout nn: A is contiguous along M, B along K.

#include "majors.cuh"

namespace every_shape {

template <>
AnyPlan prepare_majors<kMn, kK>(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_by_size<kMn, kK, StoredAtOnce<64, 32>, StreamK<StoredAtOnce<64, 32>>>(problem,
                                                                                       policy);
}

}  // namespace every_shape

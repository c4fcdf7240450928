// Operands that are not both contiguous along K, by as many tilings as the CPU programs have.

#include "majors.cuh"

namespace every_shape {

using Wide = DeferredByTma<128, 256>;
using Shared = StreamK<AtOnceByTma<64, 64>>;

template <>
AnyPlan prepare_majors<kMn, kK>(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_fastest<kMn, kK, Wide, Shared, StoredAtOnce<64, 32>>(problem, policy);
}
template <>
AnyPlan prepare_majors<kMn, kMn>(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_fastest<kMn, kMn, Wide, Shared>(problem, policy);
}
template <>
AnyPlan prepare_majors<kK, kMn>(const gemm::Problem& problem, const LaunchPolicy& policy) {
  return prepare_fastest<kK, kMn, Wide, Shared, TransposedAtOnce<64, 32>>(problem, policy);
}

}  // namespace every_shape

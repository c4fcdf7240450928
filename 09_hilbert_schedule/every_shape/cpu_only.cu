// As many tilings as the CPU programs have, a few of every kind.

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

const std::vector<BuiltTiling>& tilings() {
  static const auto list =
      members<DeferredByTma<128, 256>, Deferred<192, 160>, StoredAtOnce<64, 96>,
              AtOnceByTma<128, 72, 1, 4>, Clustered<4, 2, StoredAtOnce<128, 144>>,
              StreamK<StoredAtOnce<64, 32>>, TransposedAtOnce<128, 88>,
              StreamK<TransposedAtOnce<64, 160, 4, 2>>>();
  return list;
}

const std::vector<BuiltTiling>& linear_tilings() {
  static const auto list =
      linear_members<Deferred<192, 160>, StoredAtOnce<64, 96>, StreamK<StoredAtOnce<64, 32>>,
                     AtOnceByTma<128, 72, 1, 4>, TransposedAtOnce<128, 88>>();
  return list;
}

std::vector<harness::Variant> more_ablations() {
  return {};
}

}  // namespace every_shape

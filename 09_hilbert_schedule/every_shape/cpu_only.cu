// As many tilings as the CPU programs have, a few of every kind.

#include "build_tiling.cuh"

namespace every_shape {

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

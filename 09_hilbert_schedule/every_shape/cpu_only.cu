// As many tilings as the CPU programs have, a few of every kind.

#include "build_tiling.cuh"

namespace every_shape {

const std::vector<BuiltTiling>& tilings() {
  static const std::vector<BuiltTiling> list = {
      built<DeferredByTma<128, 256>>(),
      built<Deferred<192, 160>>(),
      built<StoredAtOnce<64, 96>>(),
      built<AtOnceByTma<128, 72, 1, 4>>(),
      built<Clustered<4, 2, StoredAtOnce<128, 144>>>(),
      built<StreamK<StoredAtOnce<64, 32>>>(),
      built<TransposedAtOnce<128, 88>>(),
      built<StreamK<TransposedAtOnce<64, 160, 4, 2>>>(),
  };
  return list;
}

std::vector<harness::Variant> more_ablations() {
  return {};
}

}  // namespace every_shape

// As many tilings as the CPU programs have, a few of every kind.

#include "build_tiling.cuh"

namespace every_shape {

const std::vector<BuiltTiling>& tilings() {
  static const std::vector<BuiltTiling> list = {
      built<DeferredByTma<128, 256>>(),
      built<Deferred<128, 224>>(),
      built<StoredAtOnce<192, 64>>(),
      built<Clustered<1, 4, StoredAtOnce<128, 64>>>(),
      built<Clustered<4, 2, StoredAtOnce<128, 144>>>(),
      built<StreamK<StoredAtOnce<64, 32>>>(),
      built<TransposedAtOnce<128, 152, 4, 2>>(),
      built<StreamK<TransposedAtOnce<64, 160, 4, 2>>>(),
  };
  return list;
}

std::vector<harness::Variant> more_ablations() {
  return {};
}

}  // namespace every_shape

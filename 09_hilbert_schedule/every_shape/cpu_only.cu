// As many tilings as the CPU programs have, a few of every kind.

#include "tiling.cuh"

namespace every_shape {

const std::vector<BuiltTiling>& tilings() {
  static const std::vector<BuiltTiling> list = {
      built<DeferredByTma<128, 256>>(),
      built<Deferred<128, 224>>(),
      built<StoredAtOnce<64, 128>>(),
      built<StoredAtOnce<128, 80>>(),
      built<StoredAtOnce<256, 64>>(),
      built<Clustered<1, 2, StoredAtOnce<192, 96>>>(),
      built<Clustered<4, 2, StoredAtOnce<128, 144>>>(),
      built<SplitK<4, StoredAtOnce<64, 32>>>(),
  };
  return list;
}

std::vector<harness::Variant> more_ablations() {
  return {};
}

}  // namespace every_shape

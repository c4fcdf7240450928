// As many tilings as the CPU programs have, a few of every kind.

#include "majors.cuh"

namespace every_shape {

using Wide = DeferredByTma<128, 256>;
using Shared = StreamK<AtOnceByTma<64, 64>>;
template <class T, core::Major kMajorA, core::Major kMajorB>
const TilingChoice& choice_of_majors() {
  using Narrow =
      std::conditional_t<kMajorB == kK, StoredAtOnce<64, 32>, TransposedAtOnce<64, 96, 2, 1>>;
  return choice_of<T, kMajorA, kMajorB, Wide, Shared, Narrow>();
}
template Prepare prepare_majors<core::bf16, kMn, kK>;
template Prepare prepare_majors<core::bf16, kMn, kMn>;
template Prepare prepare_majors<core::bf16, kK, kMn>;
template Prepare prepare_majors<core::fp16, kMn, kK>;
template Prepare prepare_majors<core::fp16, kMn, kMn>;
template Prepare prepare_majors<core::fp16, kK, kMn>;

const std::vector<BuiltTiling>& tilings() {
  static const auto list =
      members<DeferredByTma<128, 256>, Deferred<192, 160>, Clustered<2, 1, DeferredByTma<128, 240>>,
              StoredAtOnce<64, 96>, AtOnceByTma<128, 72, 1, 4>,
              Clustered<4, 2, StoredAtOnce<128, 144>>, StreamK<StoredAtOnce<64, 32>>,
              PingPongDirect<128, 96>, Transposed<PingPongByTma<128, 88, 1, 2>>,
              SplitK<2, Clustered<2, 2, StoredAtOnce<128, 64>>>>();
  return list;
}

std::vector<harness::Variant> more_ablations() {
  return {};
}

}  // namespace every_shape

// Wide tiles in pairs.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_wide_clusters() {
  return members<Clustered<2, 1, StoredAtOnce<128, 192>>, Clustered<2, 1, StoredAtOnce<128, 224>>,
                 TransposedAtOnce<128, 224, 2, 1>, TransposedInOneBox<128, 272, 2, 1, 136>,
                 Clustered<1, 2, StoredAtOnce<192, 160>>, Clustered<2, 1, StoredAtOnce<192, 192>>,
                 TransposedInOneBox<192, 208, 2, 1, 104>,
                 Clustered<1, 2, StoredAtOnce<256, 128>>>();
}

}  // namespace every_shape

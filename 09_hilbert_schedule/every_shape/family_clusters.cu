// Tiles whose operands the blocks of a cluster load together.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters() {
  return members<Clustered<4, 2, StoredAtOnce<64, 96>>, Clustered<1, 4, StoredAtOnce<128, 64>>,
                 Clustered<1, 4, StoredAtOnce<128, 96>>, Clustered<4, 2, StoredAtOnce<128, 96>>,
                 Clustered<4, 2, StoredAtOnce<128, 144>>,
                 Clustered<1, 2, StoredAtOnce<128, 160>>>();
}

}  // namespace every_shape

// Tiles of up to 96 columns whose operands the blocks of a cluster load together.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_narrow() {
  return {built<Clustered<2, 2, StoredAtOnce<64, 64>>>(),
          built<Clustered<1, 4, StoredAtOnce<128, 64>>>(),
          built<Clustered<1, 4, StoredAtOnce<128, 96>>>(),
          built<Clustered<4, 2, StoredAtOnce<128, 96>>>(),
          built<Clustered<1, 2, StoredAtOnce<192, 96>>>()};
}

}  // namespace every_shape

// Tiles of 128 columns and more whose operands the blocks of a cluster load together.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_wide() {
  return {built<Clustered<4, 2, StoredAtOnce<64, 128>>>(),
          built<Clustered<2, 2, StoredAtOnce<128, 128>>>(),
          built<Clustered<4, 2, StoredAtOnce<128, 128>>>(),
          built<Clustered<4, 2, StoredAtOnce<128, 144>>>(),
          built<Clustered<2, 1, DeferredByTma<128, 256>>>()};
}

}  // namespace every_shape

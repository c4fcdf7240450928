// Tiles whose operands the blocks of a cluster load together.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters() {
  return {built<Clustered<4, 2, StoredAtOnce<64, 96>>>(),
          built<Clustered<1, 4, StoredAtOnce<128, 64>>>(),
          built<Clustered<1, 4, StoredAtOnce<128, 96>>>(),
          built<Clustered<4, 2, StoredAtOnce<128, 96>>>(),
          built<Clustered<4, 2, StoredAtOnce<128, 144>>>(),
          built<Clustered<1, 2, StoredAtOnce<128, 160>>>()};
}

}  // namespace every_shape

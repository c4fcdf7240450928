// Tiles whose operands two blocks of a cluster share.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters() {
  return {built<Clustered<2, 1, StoredAtOnce<64, 64>>>(),
          built<Clustered<2, 1, StoredAtOnce<64, 128>>>(),
          built<Clustered<4, 1, StoredAtOnce<64, 128>>>(),
          built<Clustered<2, 1, StoredAtOnce<64, 256>>>(),
          built<Clustered<2, 1, StoredAtOnce<128, 128>>>(),
          built<Clustered<1, 2, StoredAtOnce<192, 96>>>()};
}

}  // namespace every_shape

// Tiles in clusters, whose blocks load operands together, and tiles stored at once by TMA.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters() {
  return members<Clustered<4, 2, StoredAtOnce<64, 96>>, Clustered<1, 4, StoredAtOnce<128, 64>>,
                 Clustered<1, 4, StoredAtOnce<128, 96>>, Clustered<4, 2, StoredAtOnce<128, 96>>,
                 Clustered<4, 2, StoredAtOnce<128, 144>>, Clustered<1, 2, StoredAtOnce<128, 160>>,
                 AtOnceByTma<64, 72>, AtOnceByTma<64, 72, 2, 4>, AtOnceByTma<128, 72, 1, 4>,
                 AtOnceByTma<128, 104>, AtOnceByTma<128, 240, 2, 1>>();
}

}  // namespace every_shape

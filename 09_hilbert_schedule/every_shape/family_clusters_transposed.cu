// Tiles of the transpose of C whose operands the blocks of a cluster load together.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_transposed() {
  return {built<TransposedAtOnce<64, 96, 4, 2>>(), built<TransposedAtOnce<64, 160, 4, 2>>(),
          built<TransposedAtOnce<64, 192, 4, 2>>(), built<TransposedAtOnce<128, 96, 4, 2>>(),
          built<TransposedAtOnce<128, 240, 2, 1>>()};
}

}  // namespace every_shape

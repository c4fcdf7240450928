// Tiles of the transpose of C with 64 rows in clusters, where K is no multiple of 64: what blocks
// share, the L2 is asked for once.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_transposed_64() {
  return members<TransposedAtOnce<64, 48, 2, 4>, TransposedAtOnce<64, 48, 4, 1>,
                 TransposedAtOnce<64, 56, 2, 4>, TransposedAtOnce<64, 64, 2, 4>,
                 TransposedAtOnce<64, 72, 2, 4>, TransposedAtOnce<64, 80, 4, 1>,
                 TransposedAtOnce<64, 80, 4, 2>, TransposedAtOnce<64, 96, 4, 2>,
                 TransposedAtOnce<64, 160, 4, 2>>();
}

}  // namespace every_shape

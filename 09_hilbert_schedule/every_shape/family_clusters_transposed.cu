// Tiles of the transpose of C in clusters, where K is no multiple of 64: what blocks share, the L2
// is asked for once.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_transposed() {
  return {built<TransposedAtOnce<64, 48, 2, 4>>(),  built<TransposedAtOnce<64, 80, 2, 4>>(),
          built<TransposedAtOnce<64, 96, 4, 2>>(),  built<TransposedAtOnce<128, 80, 4, 2>>(),
          built<TransposedAtOnce<128, 96, 4, 2>>(), built<TransposedAtOnce<128, 96, 2, 4>>(),
          built<TransposedAtOnce<128, 120, 4, 2>>()};
}

}  // namespace every_shape

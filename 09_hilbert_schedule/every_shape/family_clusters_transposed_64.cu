// Tiles of the transpose of C with 64 rows in clusters: what blocks share, the L2 is asked for
// once.

#include "family.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_transposed_64() {
  return members<T<64, 48, 1, 8>, T<64, 48, 2, 4>, T<64, 48, 4, 1>, T<64, 64, 1, 4>,
                 T<64, 64, 1, 8>, T<64, 64, 4, 1>, T<64, 72, 1, 8>, T<64, 72, 4, 2>,
                 T<64, 80, 4, 1>, T<64, 88, 4, 2>, T<64, 96, 4, 2>, T<64, 96, 8, 1>,
                 T<64, 104, 4, 2>, T<64, 136, 4, 1>, T<64, 152, 4, 1>, T<64, 152, 4, 2>>();
}

}  // namespace every_shape

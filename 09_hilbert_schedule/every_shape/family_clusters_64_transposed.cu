// Tiles of the transpose of C with 64 rows in clusters of four and eight.
#include "family.cuh"

every_shape::Family every_shape::family_clusters_64_transposed() {
  return members<T<64, 32, 1, 4>, T<64, 40, 2, 4>, T<64, 48, 1, 8>, T<64, 48, 2, 4>,
                 T<64, 56, 2, 4>, T<64, 64, 1, 8>, T<64, 72, 2, 4>, T<64, 72, 4, 2>,
                 T<64, 88, 4, 1>, T<64, 88, 4, 2>, T<64, 96, 4, 2>, T<64, 96, 8, 1>,
                 T<64, 104, 2, 4>, T<64, 104, 4, 2>, T<64, 112, 4, 1>, T<64, 112, 4, 2>,
                 T<64, 136, 4, 1>, T<64, 144, 4, 1>>();
}

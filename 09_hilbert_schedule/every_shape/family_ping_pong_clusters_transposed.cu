// Tiles of the transpose of C with 128 rows, of consumers that take turns, in clusters of eight.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_clusters_transposed() {
  return members<PT<128, 112, 2, 4>, PT<128, 144, 4, 2>, PT<128, 160, 4, 2>, PT<128, 184, 4, 2>,
                 PT<128, 192, 4, 2>>();
}

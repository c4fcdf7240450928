// Tiles of the transpose of C of consumers that take turns, in clusters of four and eight.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_clusters_transposed() {
  return members<PT<128, 112, 2, 4>, PT<128, 144, 4, 2>, PT<128, 160, 4, 2>, PT<128, 184, 4, 2>,
                 PT<128, 192, 4, 2>, PT<192, 96, 1, 4>, PT<192, 112, 2, 4>, PT<192, 120, 1, 4>>();
}

// Tiles of the transpose of C with 192 rows, of consumers that take turns, in clusters.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_192_transposed() {
  return members<PT<192, 96, 1, 4>, PT<192, 112, 2, 4>, PT<192, 120, 1, 4>>();
}

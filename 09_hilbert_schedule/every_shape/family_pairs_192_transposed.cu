// Tiles of the transpose of C with 192 and 256 rows, in pairs of blocks.
#include "family.cuh"

every_shape::Family every_shape::family_pairs_192_transposed() {
  return members<T<192, 72, 1, 2>, T<192, 88, 1, 2>, T<192, 104, 1, 2>, T<192, 112, 1, 2>,
                 T<192, 120, 1, 2>, T<192, 144, 1, 2>, T<192, 152, 1, 2>, T<192, 160, 1, 2>,
                 T<192, 176, 1, 2>, T<192, 208, 1, 2, 104>, T<192, 208, 2, 1, 104>,
                 T<256, 152, 1, 2>>();
}

// Tiles whose operands the blocks of a cluster load together: what they share, the L2 is asked for
// once. Of C, and of its transpose with 64 rows.
#include "family.cuh"

every_shape::Family every_shape::family_clusters() {
  return members<
      C<64, 48, 2, 4>, C<64, 64, 1, 8>, C<64, 64, 2, 4>, C<64, 64, 4, 2>, C<64, 96, 4, 2>,
      C<64, 128, 4, 2>, C<128, 64, 1, 4>, C<128, 64, 1, 8>, C<128, 80, 1, 8>, C<128, 96, 1, 8>,
      C<128, 96, 4, 2>, C<128, 128, 1, 8>, C<128, 144, 4, 2>, C<128, 160, 1, 2>, C<192, 160, 1, 2>,
      C<192, 192, 1, 2>, C<192, 192, 2, 1>, C<256, 112, 2, 4>, C<256, 160, 1, 2>, C<256, 176, 1, 2>,
      C<256, 192, 1, 2>, C<256, 192, 2, 1>, T<64, 48, 1, 8>, T<64, 48, 2, 4>, T<64, 48, 4, 1>,
      T<64, 56, 2, 4>, T<64, 64, 1, 8>, T<64, 72, 2, 4>, T<64, 72, 4, 2>, T<64, 88, 4, 2>,
      T<64, 96, 4, 2>, T<64, 96, 8, 1>, T<64, 104, 4, 2>, T<64, 152, 4, 2>>();
}

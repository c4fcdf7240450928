// Tiles whose operands the blocks of a cluster load together: what they share, the L2 is asked for
// once.
#include "family.cuh"

every_shape::Family every_shape::family_clusters() {
  return members<C<64, 64, 1, 8>, C<64, 64, 2, 4>, C<64, 64, 4, 2>, C<64, 96, 4, 1>,
                 C<64, 96, 4, 2>, C<128, 64, 1, 4>, C<128, 64, 1, 8>, C<128, 96, 1, 4>,
                 C<128, 96, 1, 8>, C<128, 96, 4, 2>, C<128, 128, 1, 8>, C<128, 144, 4, 2>,
                 C<128, 224, 2, 1>>();
}

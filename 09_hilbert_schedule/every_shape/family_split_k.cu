// Tiles whose k-tiles blocks share out: split-K, in a cluster, and stream-K.
#include "family.cuh"

every_shape::Family every_shape::family_split_k() {
  return members<P<2, C<64, 64, 1, 4>>, P<2, C<64, 64, 2, 1>>, P<2, C<64, 64, 2, 2>>,
                 P<2, T<128, 64, 1, 4>>, P<2, T<128, 80, 1, 4>>, P<4, T<128, 80, 1, 2>>,
                 P<2, T<128, 96, 1, 4>>, P<2, T<128, 96, 2, 2>>, P<2, T<128, 112, 1, 4>>,
                 P<2, T<128, 128, 2, 2>>, K<B<64, 72, 4, 2>>, K<B<64, 96, 4, 2>>>();
}

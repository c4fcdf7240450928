// Tiles whose k-tiles blocks share out.
#include "family.cuh"

every_shape::Family every_shape::family_stream_k() {
  return members<K<B<64, 72, 4, 2>>, K<B<64, 96, 4, 2>>, K<T<64, 104, 4, 2>>,
                 K<T<128, 96, 4, 2>>>();
}

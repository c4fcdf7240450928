// Tiles whose k-tiles blocks share out.

#include "family.cuh"

every_shape::Family every_shape::family_stream_k() {
  return members<StreamK<StoredAtOnce<64, 32>>, StreamK<T<64, 32>>, StreamK<T<64, 40>>,
                 StreamK<T<64, 56>>, StreamK<StoredAtOnce<64, 64>>, StreamK<T<64, 72>>,
                 StreamK<T<64, 72, 2, 4>>, StreamK<T<64, 80, 2, 4>>, StreamK<T<64, 88>>,
                 StreamK<ByTma<64, 96, 4, 2>>, StreamK<T<64, 160, 4, 2>>, StreamK<T<128, 72>>,
                 StreamK<T<128, 80>>, StreamK<T<128, 104>>, StreamK<T<128, 120, 2, 4>>,
                 StreamK<T<128, 120, 4, 2>>, StreamK<T<128, 136>>>();
}

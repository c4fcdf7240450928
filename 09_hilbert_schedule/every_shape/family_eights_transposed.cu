// Larger tiles of the transpose of C in clusters of eight.
#include "family.cuh"

every_shape::Family every_shape::family_eights_transposed() {
  return members<T<128, 64, 1, 8>, T<128, 80, 1, 8>, T<128, 80, 2, 4>, T<128, 80, 4, 2>,
                 T<128, 88, 2, 4>, T<128, 96, 1, 8>, T<128, 96, 2, 4>, T<128, 96, 4, 2>,
                 T<128, 104, 2, 4>, T<128, 112, 1, 8>, T<128, 112, 4, 2>, T<128, 120, 2, 4>,
                 T<128, 128, 2, 4>, T<128, 128, 4, 2>, T<128, 136, 4, 2>, T<128, 144, 2, 4>,
                 T<128, 144, 4, 2>, T<128, 176, 4, 2>>();
}

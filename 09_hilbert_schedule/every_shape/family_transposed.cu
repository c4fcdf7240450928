// Tiles of the transpose of C.
#include "family.cuh"

every_shape::Family every_shape::family_transposed() {
  return members<T<64, 32>, T<64, 40>, T<64, 48>, T<64, 56>, T<64, 80>, T<64, 88>, T<64, 96>,
                 T<64, 136>, T<64, 144>, T<128, 72>, T<128, 80>, T<128, 88>, T<128, 96>,
                 T<128, 104>, T<128, 112>, T<128, 136>, T<128, 144>, T<128, 152>, T<128, 160>,
                 T<128, 184>, T<128, 200>, T<192, 80>>();
}

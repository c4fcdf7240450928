// Tiles of the transpose of C with 64 rows.
#include "family.cuh"

every_shape::Family every_shape::family_transposed_64() {
  return members<T<64, 32>, T<64, 40>, T<64, 48>, T<64, 56>, T<64, 80>, T<64, 88>, T<64, 96>,
                 T<64, 136>, T<64, 144>>();
}

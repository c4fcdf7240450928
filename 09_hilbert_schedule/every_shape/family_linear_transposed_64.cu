// With a bias and an activation: tiles of the transpose of C with 64 rows.
#include "family.cuh"

every_shape::Family every_shape::family_linear_transposed_64() {
  return linear_members<T<64, 32>, T<64, 32, 1, 4>, T<64, 40>, T<64, 48>, T<64, 48, 1, 8>,
                        T<64, 48, 2, 4>, T<64, 56>, T<64, 64, 1, 8>, T<64, 80>, T<64, 88>,
                        T<64, 88, 4, 2>, T<64, 96>, T<64, 96, 4, 2>, T<64, 96, 8, 1>,
                        T<64, 104, 2, 4>, T<64, 104, 4, 2>, T<64, 136>, T<64, 136, 4, 1>,
                        T<64, 144>>();
}

// Larger tiles of the transpose of C in clusters of four.
#include "family.cuh"

every_shape::Family every_shape::family_fours_transposed() {
  return members<T<128, 136, 1, 4>, T<128, 152, 4, 1>, T<192, 112, 1, 4>, T<192, 144, 1, 4>>();
}

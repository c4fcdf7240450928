// Tiles of the transpose of C whose operands two or four blocks load together.
#include "family.cuh"

every_shape::Family every_shape::family_clusters_transposed() {
  return members<T<128, 136, 1, 2>, T<128, 168, 1, 2>, T<128, 200, 2, 1>, T<128, 224, 2, 1>,
                 T<128, 232, 2, 1>, T<128, 272, 2, 1, 136>, T<128, 288, 2, 1, 144>,
                 T<128, 136, 1, 4>, T<192, 112, 1, 4>, T<192, 144, 1, 4>>();
}

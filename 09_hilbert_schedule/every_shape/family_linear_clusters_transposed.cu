// With a bias and an activation: larger tiles of the transpose of C in clusters.
#include "family.cuh"

every_shape::Family every_shape::family_linear_clusters_transposed() {
  return linear_members<
      T<128, 64, 1, 8>, T<128, 80, 1, 8>, T<128, 80, 2, 4>, T<128, 80, 4, 2>, T<128, 88, 2, 4>,
      T<128, 96, 1, 8>, T<128, 96, 2, 4>, T<128, 96, 4, 2>, T<128, 112, 1, 8>, T<128, 112, 4, 2>,
      T<128, 128, 2, 4>, T<128, 128, 4, 2>, T<128, 136, 1, 4>, T<128, 144, 2, 4>, T<128, 144, 4, 2>,
      T<128, 176, 4, 2>, T<192, 112, 1, 4>, T<192, 144, 1, 4>, T<192, 112, 1, 2>, T<192, 120, 1, 2>,
      T<192, 144, 1, 2>, T<192, 152, 1, 2>, T<192, 160, 1, 2>, T<256, 152, 1, 2>>();
}

// Tiles of the transpose of C in clusters, with a bias and an activation.

#include "family.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_linear_clusters_transposed() {
  return linear_members<
      T<64, 48, 1, 8>, T<64, 48, 2, 4>, T<64, 72, 4, 2>, T<64, 96, 4, 2>, StreamK<T<64, 160, 4, 2>>,
      T<128, 64, 1, 8>, T<128, 80, 1, 8>, T<128, 80, 2, 4>, T<128, 80, 4, 2>, T<128, 96, 2, 4>,
      T<128, 112, 2, 4>, T<128, 120, 2, 4>, T<128, 128, 4, 2>, T<128, 144, 2, 4>, T<128, 144, 4, 2>,
      T<128, 152, 4, 2>, T<128, 256, 2, 1>, TransposedInOneBox<128, 272, 2, 1, 136>,
      T<192, 112, 1, 2>, T<192, 144, 1, 2>, T<192, 152, 1, 2>, T<192, 176, 1, 2>,
      TransposedInOneBox<192, 208, 2, 1, 104>>();
}

}  // namespace every_shape

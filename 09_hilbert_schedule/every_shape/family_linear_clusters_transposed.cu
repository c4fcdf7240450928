// The same in clusters.

#include "family.cuh"

every_shape::Family every_shape::family_linear_clusters_transposed() {
  return linear_members<T<128, 64, 1, 8>, T<128, 80, 1, 8>, T<128, 80, 2, 4>, T<128, 80, 4, 2>,
                        T<128, 96, 1, 8>, T<128, 96, 2, 4>, T<128, 96, 4, 2>, T<128, 112, 1, 8>,
                        T<128, 112, 2, 4>, StreamK<T<128, 120, 4, 2>>, T<128, 128, 2, 4>,
                        T<128, 128, 4, 2>, T<128, 144, 4, 2>, T<128, 160, 4, 2>, T<128, 176, 4, 2>,
                        T<128, 184, 2, 4>, T<128, 216, 4, 2>, T<128, 232, 2, 1>, T<128, 248, 2, 1>,
                        TransposedInOneBox<128, 272, 2, 1, 136>,
                        TransposedInOneBox<128, 288, 2, 1, 144>, T<192, 112, 1, 2>,
                        T<192, 144, 1, 2>, T<192, 144, 1, 4>, T<192, 152, 1, 2>, T<192, 160, 1, 2>,
                        TransposedInOneBox<192, 208, 2, 1, 104>>();
}

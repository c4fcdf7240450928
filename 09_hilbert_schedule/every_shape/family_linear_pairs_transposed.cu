// The same in pairs.
#include "family.cuh"

every_shape::Family every_shape::family_linear_pairs_transposed() {
  return linear_members<
      T<128, 232, 2, 1>, T<128, 248, 2, 1>, TransposedInOneBox<128, 272, 2, 1, 136>,
      TransposedInOneBox<128, 288, 2, 1, 144>, T<192, 112, 1, 2>, T<192, 120, 1, 2>,
      T<192, 144, 1, 2>, T<192, 152, 1, 2>, T<192, 160, 1, 2>,
      TransposedInOneBox<192, 208, 1, 2, 104>, TransposedInOneBox<192, 208, 2, 1, 104>>();
}

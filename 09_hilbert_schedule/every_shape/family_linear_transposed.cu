// With a bias and an activation: larger tiles of the transpose of C, of one block and in pairs.
#include "family.cuh"

every_shape::Family every_shape::family_linear_transposed() {
  return linear_members<T<128, 72>, T<128, 80>, T<128, 88>, T<128, 96>, T<128, 104>, T<128, 112>,
                        T<128, 136>, T<128, 144>, T<128, 152>, T<128, 160>, T<128, 184>,
                        T<128, 200>, Transposed<D<128, 208>>, Transposed<D<128, 224>>,
                        Transposed<D<128, 240>>, Transposed<D<128, 256>>, T<128, 232, 2, 1>,
                        T<128, 272, 2, 1, 136>, T<128, 288, 2, 1, 144>, T<192, 208, 1, 2, 104>,
                        T<192, 208, 2, 1, 104>>();
}

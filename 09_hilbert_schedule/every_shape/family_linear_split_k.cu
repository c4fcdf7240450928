// With a bias and an activation: tiles whose k-tiles the blocks of a cluster share out.
#include "family.cuh"

every_shape::Family every_shape::family_linear_split_k() {
  return linear_members<P<2, S<64, 64>>, P<4, S<64, 96>>, P<2, C<64, 64, 1, 4>>,
                        P<4, T<64, 32, 1, 2>>, P<3, T<64, 48>>, P<4, T<64, 48, 1, 2>>,
                        P<2, T<64, 48, 1, 4>>, P<4, T<64, 64, 1, 2>>, P<4, T<64, 80, 1, 2>>,
                        P<3, T<64, 96>>, P<2, T<64, 96, 4, 1>>, P<4, T<64, 112, 2, 1>>,
                        P<2, T<128, 80, 1, 4>>>();
}

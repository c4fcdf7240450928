// Tiles of the transpose of C whose k-tiles the blocks of a cluster share out.
#include "family.cuh"

every_shape::Family every_shape::family_split_k_transposed() {
  return members<P<4, T<64, 32, 1, 2>>, P<2, T<64, 32, 1, 4>>, P<3, T<64, 48>>,
                 P<4, T<64, 48, 1, 2>>, P<2, T<64, 48, 1, 4>>, P<4, T<64, 64, 1, 2>>,
                 P<2, T<64, 64, 1, 4>>, P<2, T<64, 80, 1, 2>>, P<4, T<64, 80, 1, 2>>,
                 P<4, T<64, 80, 2, 1>>, P<4, T<64, 96, 2, 1>>, P<2, T<64, 96, 4, 1>>,
                 P<2, T<64, 96, 2, 2>>, P<4, T<64, 112, 2, 1>>, P<2, T<64, 128, 4, 1>>>();
}

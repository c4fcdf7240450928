// Tiles of C, with a bias and an activation: of 64 rows.
#include "family.cuh"

every_shape::Family every_shape::family_linear() {
  return linear_members<S<64, 32>, S<64, 64>, B<64, 80>, S<64, 96>, S<64, 128>, S<64, 160>,
                        S<64, 192>>();
}

// With a bias and an activation: tiles of C.
#include "family.cuh"

every_shape::Family every_shape::family_linear() {
  return linear_members<S<64, 32>, S<64, 64>, B<64, 80>, S<64, 96>, S<64, 128>, S<128, 64>,
                        S<128, 96>, B<128, 104>, S<128, 128>, B<128, 144>, B<128, 176>,
                        Deferred<128, 224>, D<128, 256>, S<192, 96>, S<192, 128>,
                        Deferred<192, 160>, D<192, 192>>();
}

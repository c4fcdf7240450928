// Larger tiles of C, with a bias and an activation.
#include "family.cuh"

every_shape::Family every_shape::family_linear_large() {
  return linear_members<S<128, 64>, S<128, 96>, B<128, 104>, S<128, 128>, B<128, 144>, B<128, 176>,
                        D<128, 192>, Deferred<128, 224>, D<128, 256>, S<192, 96>, S<192, 128>,
                        Deferred<192, 160>, D<192, 192>>();
}

// Larger tiles of the transpose of C.
#include "family.cuh"

every_shape::Family every_shape::family_transposed() {
  return members<T<128, 48>, T<128, 72>, T<128, 80>, T<128, 88>, T<128, 96>, T<128, 104>,
                 T<128, 112>, T<128, 136>, T<128, 144>, T<128, 152>, T<128, 160>, T<128, 184>,
                 T<128, 200>, T<192, 80>, T<256, 144>>();
}

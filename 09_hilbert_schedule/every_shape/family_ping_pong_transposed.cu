// The same of the transpose of C.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_transposed() {
  return members<PT<64, 112>, PT<64, 128>, PT<128, 120>, PT<128, 136>, PT<128, 152>, PT<128, 176>,
                 PT<128, 184>, PT<128, 192>, PT<192, 112>>();
}

// Tiles of the transpose of C, of consumers that take turns.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_transposed() {
  return members<PT<64, 112>, PT<128, 120>, PT<128, 128>, PT<128, 176>, PT<128, 192>>();
}

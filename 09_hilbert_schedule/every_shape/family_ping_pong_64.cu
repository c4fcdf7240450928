// Tiles with 64 rows, of consumers that take turns.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_64() {
  return members<PD<64, 64, 1, 4>, PD<64, 128>, PD<64, 160>, PD<64, 192>>();
}

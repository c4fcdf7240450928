// Tiles of consumers that take turns.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong() {
  return members<PB<128, 112>, PD<128, 160>, PD<128, 192>>();
}

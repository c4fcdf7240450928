// With a bias and an activation: tiles of consumers that take turns.
#include "family.cuh"

every_shape::Family every_shape::family_linear_ping_pong() {
  return linear_members<PD<64, 64>, PD<64, 64, 1, 4>, PD<64, 128>, PD<64, 160>, PD<64, 192>,
                        PB<128, 112>, PD<128, 160>, PD<128, 160, 4, 2>, PD<128, 192>,
                        PD<128, 192, 2, 4>, PB<192, 112>>();
}

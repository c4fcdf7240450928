// With a bias and an activation: tiles of consumers that take turns.
#include "family.cuh"

every_shape::Family every_shape::family_linear_ping_pong() {
  return linear_members<PD<64, 64>, PD<64, 64, 1, 4>, PT<64, 112>, PD<64, 128>, PD<64, 160>,
                        PD<64, 192>, PB<128, 112>, PT<128, 120>, PD<128, 160>, PD<128, 160, 4, 2>,
                        PT<128, 176>, PD<128, 192>, PD<128, 192, 2, 4>, PB<192, 112>,
                        PT<64, 136, 4, 2>, PT<128, 112, 2, 4>, PT<128, 144, 4, 2>,
                        PT<128, 160, 4, 2>, PT<128, 184, 4, 2>, PT<128, 192, 4, 2>,
                        PT<192, 88, 2, 4>, PT<192, 112, 2, 4>>();
}

// Tiles of consumers that take turns, in clusters.
#include "family.cuh"

every_shape::Family every_shape::family_ping_pong_clusters() {
  return members<PB<128, 192, 2, 1>, PD<128, 160, 2, 4>, PD<128, 160, 4, 2>, PD<128, 192, 2, 4>,
                 PD<128, 192, 4, 2>>();
}

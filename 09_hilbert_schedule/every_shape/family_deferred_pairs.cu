// Tiles that are stored while the next one is multiplied, and whose operands a pair of blocks loads
// together.
#include "family.cuh"

every_shape::Family every_shape::family_deferred_pairs() {
  return members<DC<128, 240, 2, 1>, DC<128, 256, 2, 1>, DC<192, 176, 1, 2>, DC<192, 192, 1, 2>,
                 DC<192, 192, 2, 1>>();
}

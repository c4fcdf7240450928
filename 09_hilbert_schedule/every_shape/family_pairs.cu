// Tiles that are stored at once by TMA, and whose operands a pair of blocks loads together.
#include "family.cuh"

every_shape::Family every_shape::family_pairs() {
  return members<B<128, 208, 2, 1>, B<192, 112, 1, 2>, B<256, 144, 1, 2>>();
}

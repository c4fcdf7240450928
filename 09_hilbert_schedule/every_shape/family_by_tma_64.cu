// Tiles of 64 rows that are stored at once, by TMA.
#include "family.cuh"

every_shape::Family every_shape::family_by_tma_64() {
  return members<B<64, 72, 2, 4>, B<64, 80>, B<64, 80, 4, 2>, B<64, 88, 2, 4>, B<64, 104, 4, 2>,
                 B<64, 112, 4, 2>, B<64, 144, 4, 1>, B<64, 152, 4, 1>>();
}

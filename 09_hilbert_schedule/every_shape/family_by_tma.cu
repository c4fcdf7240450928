// Tiles that are stored at once, by TMA.

#include "family.cuh"

every_shape::Family every_shape::family_by_tma() {
  return members<ByTma<64, 72>, ByTma<64, 72, 2, 4>, ByTma<64, 80>, ByTma<64, 80, 4, 2>,
                 ByTma<64, 88>, ByTma<64, 136, 4, 2>, ByTma<64, 144, 4, 2>, ByTma<128, 104>,
                 ByTma<128, 104, 2, 4>, ByTma<128, 120, 2, 4>, ByTma<128, 136>, ByTma<128, 144>,
                 ByTma<128, 144, 2, 4>, ByTma<128, 168>, ByTma<128, 168, 1, 2>, ByTma<128, 176>,
                 ByTma<128, 208>, ByTma<128, 208, 2, 1>, ByTma<192, 136, 4, 2>>();
}

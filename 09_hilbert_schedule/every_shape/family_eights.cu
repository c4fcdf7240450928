// Tiles of 152 columns and more in clusters of eight, stored by TMA.
#include "family.cuh"

every_shape::Family every_shape::family_eights() {
  return members<B<128, 176, 2, 4>, B<128, 224, 4, 2>>();
}

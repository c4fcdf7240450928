// Tiles that are stored while the next one is multiplied.
#include "family.cuh"

every_shape::Family every_shape::family_deferred() {
  return members<Deferred<128, 224>, D<128, 256>, Deferred<192, 160>, D<192, 192>>();
}

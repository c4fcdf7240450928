// Tiles that are stored while the next one is multiplied.
#include "family.cuh"

every_shape::Family every_shape::family_deferred() {
  return members<Transposed<D<128, 208>>, Deferred<128, 224>, Transposed<D<128, 224>>,
                 Transposed<D<128, 240>>, D<128, 256>, Transposed<D<128, 256>>,
                 Transposed<D<192, 144>>, Deferred<192, 160>, Deferred<192, 176>, D<192, 192>>();
}

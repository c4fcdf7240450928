// Tiles of the transpose of C that are stored while the next one is multiplied.
#include "family.cuh"

every_shape::Family every_shape::family_deferred_transposed() {
  return members<Transposed<D<128, 208>>, Transposed<D<128, 224>>, Transposed<D<128, 240>>,
                 Transposed<D<128, 256>>, Transposed<D<192, 144>>, Transposed<D<192, 176>>,
                 Transposed<D<192, 192>>>();
}

// Larger tiles that are stored at once, by TMA.
#include "family.cuh"

every_shape::Family every_shape::family_by_tma() {
  return members<B<128, 72, 1, 8>, B<128, 104, 2, 4>, B<128, 112, 4, 2>, B<128, 144>,
                 B<128, 144, 2, 4>, B<128, 176>, B<128, 208>, B<192, 72, 1, 4>,
                 B<192, 112, 1, 4>>();
}

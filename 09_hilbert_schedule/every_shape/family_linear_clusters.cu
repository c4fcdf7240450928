// With a bias and an activation: tiles of C in clusters.
#include "family.cuh"

every_shape::Family every_shape::family_linear_clusters() {
  return linear_members<C<64, 64, 1, 8>, C<64, 64, 2, 4>, C<64, 64, 4, 2>, B<64, 72, 2, 4>,
                        B<64, 80, 4, 2>, C<64, 96, 4, 2>, K<B<64, 96, 4, 2>>, B<64, 104, 4, 2>,
                        B<64, 112, 4, 2>, B<64, 144, 4, 2>, B<64, 152, 4, 1>, C<128, 64, 1, 4>,
                        C<128, 64, 1, 8>, C<128, 96, 1, 8>, C<128, 96, 4, 2>, B<128, 104, 2, 4>,
                        B<128, 144, 2, 4>, B<192, 112, 1, 4>, C<256, 160, 1, 2>, C<256, 192, 1, 2>,
                        C<256, 192, 2, 1>>();
}

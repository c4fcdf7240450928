// Tiles of 192 and 256 rows in clusters.
#include "family.cuh"

every_shape::Family every_shape::family_clusters_192() {
  return members<C<192, 96, 2, 4>, C<192, 160, 1, 2>, C<256, 160, 1, 2>, C<256, 192, 1, 2>,
                 C<256, 192, 2, 1>>();
}

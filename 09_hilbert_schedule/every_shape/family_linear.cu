// Tiles of C, with a bias and an activation.

#include "family.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_linear() {
  return linear_members<
      StoredAtOnce<64, 32>, StoredAtOnce<64, 64>, C<64, 64, 2, 4>, StreamK<StoredAtOnce<64, 64>>,
      ByTma<64, 72, 2, 4>, ByTma<64, 96, 4, 2>, ByTma<64, 136, 4, 2>, StoredAtOnce<64, 192>,
      C<128, 64, 1, 8>, C<128, 96, 4, 2>, StoredAtOnce<128, 128>, C<128, 144, 4, 2>,
      ByTma<128, 144>, DeferredByTma<128, 192>, Deferred<128, 224>, DeferredByTma<128, 256>,
      StoredAtOnce<192, 128>, DeferredByTma<192, 192>, C<256, 160, 1, 2>, C<256, 192, 1, 2>>();
}

}  // namespace every_shape

// Tiles of C, with a bias and an activation.

#include "family.cuh"

every_shape::Family every_shape::family_linear() {
  return linear_members<StoredAtOnce<64, 32>, StreamK<StoredAtOnce<64, 32>>, StoredAtOnce<64, 64>,
                        ByTma<64, 72>, ByTma<64, 80>, StoredAtOnce<64, 96>, StoredAtOnce<64, 128>,
                        StoredAtOnce<64, 192>, StoredAtOnce<128, 64>, StoredAtOnce<128, 96>,
                        ByTma<128, 104>, StoredAtOnce<128, 128>, ByTma<128, 144>, ByTma<128, 176>,
                        DeferredByTma<128, 192>, Deferred<128, 224>, DeferredByTma<128, 256>,
                        StoredAtOnce<192, 96>, StoredAtOnce<192, 128>, Deferred<192, 176>,
                        DeferredByTma<192, 192>, StoredAtOnce<256, 144>>();
}

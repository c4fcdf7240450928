// Tiles of one block: stored at once, by the threads, or beside the next tile.

#include "family.cuh"

every_shape::Family every_shape::family_one_block() {
  return members<
      StoredAtOnce<64, 32>, StoredAtOnce<64, 64>, StoredAtOnce<64, 96>, StoredAtOnce<64, 128>,
      StoredAtOnce<64, 160>, StoredAtOnce<64, 192>, StoredAtOnce<64, 224>, StoredAtOnce<128, 64>,
      StoredAtOnce<128, 96>, StoredAtOnce<128, 128>, DeferredByTma<128, 192>,
      Transposed<DeferredByTma<128, 192>>, Transposed<DeferredByTma<128, 208>>, Deferred<128, 224>,
      Transposed<DeferredByTma<128, 224>>, Transposed<DeferredByTma<128, 240>>,
      DeferredByTma<128, 256>, Transposed<DeferredByTma<128, 256>>, StoredAtOnce<192, 96>,
      StoredAtOnce<192, 128>, Deferred<192, 144>, Deferred<192, 160>, Deferred<192, 176>,
      DeferredByTma<192, 192>, StoredAtOnce<256, 144>>();
}

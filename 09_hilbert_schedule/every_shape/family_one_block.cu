// Tiles of one block: stored at once, by the threads, or beside the next tile.
#include "family.cuh"

every_shape::Family every_shape::family_one_block() {
  return members<S<64, 32>, S<64, 64>, S<64, 96>, S<64, 128>, S<128, 64>, S<128, 96>, S<128, 128>,
                 S<192, 96>, S<192, 128>, Transposed<D<128, 208>>, Deferred<128, 224>,
                 Transposed<D<128, 224>>, Transposed<D<128, 240>>, D<128, 256>,
                 Transposed<D<128, 256>>, Transposed<D<192, 144>>, Deferred<192, 160>,
                 Deferred<192, 176>, D<192, 192>>();
}

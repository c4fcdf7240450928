// Tiles that are stored at once, by the threads.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_at_once() {
  return {built<StoredAtOnce<64, 32>>(),   built<StoredAtOnce<64, 64>>(),
          built<StoredAtOnce<64, 96>>(),   built<StoredAtOnce<64, 192>>(),
          built<StoredAtOnce<64, 224>>(),  built<StoredAtOnce<64, 256>>(),
          built<StoredAtOnce<128, 64>>(),  built<StoredAtOnce<128, 96>>(),
          built<StoredAtOnce<128, 128>>(), built<StoredAtOnce<128, 144>>(),
          built<StoredAtOnce<192, 128>>()};
}

}  // namespace every_shape

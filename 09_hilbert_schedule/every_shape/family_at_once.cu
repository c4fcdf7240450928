// Tiles that are stored at once, by the threads.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_at_once() {
  return members<StoredAtOnce<64, 32>, StoredAtOnce<64, 64>, StoredAtOnce<64, 96>,
                 StoredAtOnce<64, 192>, StoredAtOnce<64, 224>, StoredAtOnce<64, 256>,
                 StoredAtOnce<128, 64>, StoredAtOnce<128, 96>, StoredAtOnce<128, 128>,
                 StoredAtOnce<128, 144>, StoredAtOnce<192, 128>>();
}

}  // namespace every_shape

// Tiles of 128 rows, wide ones, of 192 and of 256.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_large() {
  return {built<StoredAtOnce<128, 208>>(), built<StoredAtOnce<128, 256>>(),
          built<StoredAtOnce<192, 64>>(),  built<StoredAtOnce<192, 128>>(),
          built<StoredAtOnce<192, 176>>(), built<StoredAtOnce<192, 256, 128>>(),
          built<StoredAtOnce<256, 64>>()};
}

}  // namespace every_shape

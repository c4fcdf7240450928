// Tiles whose K several blocks divide.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_splits() {
  return {built<SplitK<4, StoredAtOnce<64, 32>>>(), built<SplitK<2, StoredAtOnce<64, 64>>>(),
          built<SplitK<4, StoredAtOnce<64, 64>>>(), built<SplitK<2, StoredAtOnce<64, 128>>>(),
          built<SplitK<2, StoredAtOnce<128, 128>>>()};
}

}  // namespace every_shape

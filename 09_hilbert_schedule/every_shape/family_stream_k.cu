// Tiles whose k-tiles blocks share out.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_stream_k() {
  return {built<StreamK<StoredAtOnce<64, 32>>>(),
          built<StreamK<TransposedAtOnce<64, 32>>>(),
          built<StreamK<StoredAtOnce<64, 64>>>(),
          built<StreamK<TransposedAtOnce<64, 72>>>(),
          built<StreamK<TransposedAtOnce<64, 80>>>(),
          built<StreamK<TransposedAtOnce<64, 88>>>(),
          built<StreamK<StoredAtOnce<64, 96>>>(),
          built<StreamK<TransposedAtOnce<64, 160, 4, 2>>>()};
}

}  // namespace every_shape

// Tiles whose k-tiles blocks share out.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_stream_k() {
  return members<StreamK<StoredAtOnce<64, 32>>, StreamK<TransposedAtOnce<64, 32>>,
                 StreamK<StoredAtOnce<64, 64>>, StreamK<TransposedAtOnce<64, 72>>,
                 StreamK<TransposedAtOnce<64, 80>>, StreamK<TransposedAtOnce<64, 88>>,
                 StreamK<StoredAtOnce<64, 96>>, StreamK<TransposedAtOnce<64, 160, 4, 2>>>();
}

}  // namespace every_shape

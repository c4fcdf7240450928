// Tiles of the transpose of C with 64 rows.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_transposed_64() {
  return {built<TransposedAtOnce<64, 48>>(),  built<TransposedAtOnce<64, 56>>(),
          built<TransposedAtOnce<64, 80>>(),  built<TransposedAtOnce<64, 88>>(),
          built<TransposedAtOnce<64, 96>>(),  built<TransposedAtOnce<64, 112>>(),
          built<TransposedAtOnce<64, 120>>(), built<TransposedAtOnce<64, 136>>()};
}

}  // namespace every_shape

// Tiles of the transpose of C with more rows.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_transposed() {
  return {built<TransposedAtOnce<128, 72>>(),  built<TransposedAtOnce<128, 80>>(),
          built<TransposedAtOnce<128, 88>>(),  built<TransposedAtOnce<128, 96>>(),
          built<TransposedAtOnce<128, 104>>(), built<TransposedAtOnce<128, 144>>(),
          built<TransposedAtOnce<128, 160>>(), built<TransposedAtOnce<128, 168>>(),
          built<TransposedAtOnce<128, 176>>(), built<TransposedAtOnce<192, 136>>()};
}

}  // namespace every_shape

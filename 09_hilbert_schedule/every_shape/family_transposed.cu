// Tiles of the transpose of C with more rows.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_transposed() {
  return members<TransposedAtOnce<128, 72>, TransposedAtOnce<128, 80>, TransposedAtOnce<128, 88>,
                 TransposedAtOnce<128, 96>, TransposedAtOnce<128, 104>, TransposedAtOnce<128, 144>,
                 TransposedAtOnce<128, 160>, TransposedAtOnce<128, 168>, TransposedAtOnce<128, 176>,
                 TransposedAtOnce<192, 136>>();
}

}  // namespace every_shape

// Tiles of the transpose of C with 64 rows.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_transposed_64() {
  return members<TransposedAtOnce<64, 48>, TransposedAtOnce<64, 56>, TransposedAtOnce<64, 80>,
                 TransposedAtOnce<64, 88>, TransposedAtOnce<64, 96>, TransposedAtOnce<64, 112>,
                 TransposedAtOnce<64, 120>, TransposedAtOnce<64, 136>>();
}

}  // namespace every_shape

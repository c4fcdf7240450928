// Tiles of 192 rows, up to 112 columns.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_192_narrow() {
  return stored_at_once<192, 48, 64, 80, 96, 112>();
}

}  // namespace every_shape

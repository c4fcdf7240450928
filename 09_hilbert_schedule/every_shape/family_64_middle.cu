// Tiles of 64 rows, 128 to 192 columns.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_64_middle() {
  return stored_at_once<64, 128, 144, 160, 176, 192>();
}

}  // namespace every_shape

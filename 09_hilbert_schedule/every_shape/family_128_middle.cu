// Tiles of 128 rows, 128 to 192 columns.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_128_middle() {
  return stored_at_once<128, 128, 144, 160, 176, 192>();
}

}  // namespace every_shape

// Tiles of 128 rows, up to 112 columns.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_128_narrow() {
  return stored_at_once<128, 32, 48, 64, 80, 96, 112>();
}

}  // namespace every_shape

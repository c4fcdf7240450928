// Tiles of 128 rows, 208 columns and more.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_128_wide() {
  return stored_at_once<128, 208, 224, 240, 256>();
}

}  // namespace every_shape

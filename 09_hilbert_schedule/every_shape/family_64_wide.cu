// Tiles of 64 rows, 208 columns and more.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_64_wide() {
  return stored_at_once<64, 208, 224, 240, 256>();
}

}  // namespace every_shape

// Tiles of 128 rows: two consumers.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_128() {
  return stored_at_once<128, 64, 96, 128, 144, 160>();
}

}  // namespace every_shape

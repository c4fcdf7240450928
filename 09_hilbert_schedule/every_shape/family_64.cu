// Tiles of 64 rows: one consumer.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_64() {
  return stored_at_once<64, 32, 64, 96, 192>();
}

}  // namespace every_shape

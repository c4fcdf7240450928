// Tiles of 256 rows.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_256() {
  std::vector<BuiltTiling> out = stored_at_once<256, 48, 64, 80, 96, 112, 128>();
  out.push_back(built<DeferredByTma<256, 128>>());
  return out;
}

}  // namespace every_shape

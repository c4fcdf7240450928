// Tiles of 192 rows, 128 columns and more.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_192_wide() {
  std::vector<BuiltTiling> out = stored_at_once<192, 128, 144, 160, 176, 192>();
  out.push_back(built<StoredAtOnce<192, 256, 128>>());
  return out;
}

}  // namespace every_shape

// Tiles that are stored at once, by TMA: rows of B arrive in boxes as large as they can be.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_by_tma() {
  return members<AtOnceByTma<64, 72>, AtOnceByTma<64, 72, 2, 4>, AtOnceByTma<128, 72, 1, 4>,
                 AtOnceByTma<128, 104>, AtOnceByTma<128, 240, 2, 1>>();
}

}  // namespace every_shape

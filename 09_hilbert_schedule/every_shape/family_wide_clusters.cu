// The same with wide tiles, stored at once and deferred.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_wide_clusters() {
  return {built<TransposedAtOnce<128, 128, 4, 2>>(),
          built<TransposedAtOnce<128, 144, 4, 2>>(),
          built<TransposedAtOnce<128, 152, 4, 2>>(),
          built<TransposedAtOnce<128, 240, 2, 1>>(),
          built<TransposedAtOnce<192, 144, 2, 1>>(),
          built<TransposedAtOnce<192, 144, 4, 2>>(),
          built<TransposedInOneBox<128, 272, 2, 1, 136>>(),
          built<TransposedInOneBox<192, 192, 2, 1>>(),
          built<TransposedInOneBox<192, 208, 2, 1, 104>>()};
}

}  // namespace every_shape

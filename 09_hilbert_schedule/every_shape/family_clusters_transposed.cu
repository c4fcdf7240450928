// The same with more rows.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_clusters_transposed() {
  return members<TransposedAtOnce<128, 72, 4, 2>, TransposedAtOnce<128, 96, 2, 4>,
                 TransposedAtOnce<128, 96, 4, 2>, TransposedAtOnce<128, 112, 4, 2>,
                 TransposedAtOnce<128, 120, 2, 4>, TransposedAtOnce<128, 128, 4, 2>,
                 TransposedAtOnce<128, 144, 4, 2>, TransposedAtOnce<128, 152, 4, 2>,
                 TransposedAtOnce<128, 184, 4, 2>, TransposedAtOnce<128, 200, 4, 2>,
                 TransposedAtOnce<128, 216, 4, 2>, TransposedAtOnce<192, 120, 4, 2>>();
}

}  // namespace every_shape

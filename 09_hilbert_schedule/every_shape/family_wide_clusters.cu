// Wide tiles in pairs.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_wide_clusters() {
  return {built<Clustered<2, 1, StoredAtOnce<128, 192>>>(),
          built<Clustered<2, 1, StoredAtOnce<128, 224>>>(),
          built<TransposedAtOnce<128, 224, 2, 1>>(),
          built<TransposedInOneBox<128, 272, 2, 1, 136>>(),
          built<Clustered<1, 2, StoredAtOnce<192, 160>>>(),
          built<Clustered<2, 1, StoredAtOnce<192, 192>>>(),
          built<TransposedInOneBox<192, 208, 2, 1, 104>>(),
          built<Clustered<1, 2, StoredAtOnce<256, 128>>>()};
}

}  // namespace every_shape

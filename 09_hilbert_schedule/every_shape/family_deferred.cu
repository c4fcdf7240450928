// Tiles that are stored beside the next ones.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred() {
  return members<DeferredByTma<128, 192>, Transposed<DeferredByTma<128, 208>>, Deferred<128, 224>,
                 Transposed<DeferredByTma<128, 240>>, DeferredByTma<128, 256>, Deferred<192, 160>,
                 DeferredByTma<192, 192>>();
}

}  // namespace every_shape

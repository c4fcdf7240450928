// Tiles that are stored beside the next ones.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred() {
  return {built<DeferredByTma<128, 192>>(), built<Transposed<DeferredByTma<128, 208>>>(),
          built<Deferred<128, 224>>(),      built<Transposed<DeferredByTma<128, 240>>>(),
          built<DeferredByTma<128, 256>>(), built<Deferred<192, 160>>(),
          built<DeferredByTma<192, 192>>()};
}

}  // namespace every_shape

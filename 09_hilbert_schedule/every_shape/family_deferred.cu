// Tiles that are stored beside the next ones.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred() {
  return {built<Deferred<128, 176>>(),      built<Deferred<128, 224>>(),
          built<Deferred<192, 160>>(),      built<DeferredByTma<128, 192>>(),
          built<DeferredByTma<128, 256>>(), built<DeferredByTma<192, 192>>()};
}

}  // namespace every_shape

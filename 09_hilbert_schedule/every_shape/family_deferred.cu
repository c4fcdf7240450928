// Tiles that are stored beside the next ones, and those of three consumers.

#include "build_tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred() {
  return {built<Deferred<128, 224>>(),
          built<Deferred<192, 160>>(),
          built<DeferredByTma<128, 192>>(),
          built<DeferredByTma<128, 256>>(),
          built<DeferredByTma<192, 192>>(),
          built<Transposed<DeferredByTma<128, 208>>>(),
          built<Transposed<DeferredByTma<128, 240>>>(),
          built<StoredAtOnce<192, 64>>()};
}

}  // namespace every_shape

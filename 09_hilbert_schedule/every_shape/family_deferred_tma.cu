// Tiles that are stored beside the next ones, by TMA.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred_tma() {
  return {built<DeferredByTma<128, 128>>(),
          built<DeferredByTma<128, 192>>(),
          built<DeferredByTma<128, 256>>(),
          built<DeferredByTma<192, 128>>(),
          built<DeferredByTma<192, 192>>(),
          built<Clustered<2, 1, DeferredByTma<128, 256>>>(),
          built<Clustered<4, 1, DeferredByTma<128, 256>>>()};
}

}  // namespace every_shape

// Tiles that are stored beside the next ones, by the threads.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred_wide() {
  return {built<Deferred<128, 208>>(), built<Deferred<128, 224>>(), built<Deferred<128, 240>>(),
          built<Deferred<128, 256>>(), built<Deferred<192, 128>>(), built<Deferred<192, 160>>()};
}

}  // namespace every_shape

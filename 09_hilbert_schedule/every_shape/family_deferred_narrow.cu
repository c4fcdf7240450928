// Tiles that are stored beside the next ones, of up to 192 columns.

#include "tiling.cuh"

namespace every_shape {

std::vector<BuiltTiling> family_deferred_narrow() {
  return {built<Deferred<64, 128>>(),  built<Deferred<64, 256>>(),  built<Deferred<128, 128>>(),
          built<Deferred<128, 144>>(), built<Deferred<128, 160>>(), built<Deferred<128, 176>>(),
          built<Deferred<128, 192>>()};
}

}  // namespace every_shape

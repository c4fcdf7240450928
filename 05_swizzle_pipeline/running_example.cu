// `--variant running_example`: the kernel with the tiles of the example that all pages share.

#include "plan.cuh"

#include <harness/running_example.cuh>

namespace {

using namespace swizzle_pipeline;

struct Tiles : LargeTiles {
  static constexpr int BN = 128;
};
using Small = Config<Tiles, 2, 8>;

const harness::Registration registration(harness::running_example::demonstration(kName, [] {
  return harness::running_example::run(
      kName, [](const auto& g) { return prepare<core::bf16, Small>(g); }, tile_coord<8>);
}));

}  // namespace

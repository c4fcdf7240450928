// `--variant running_example`: the kernel with the tiles of the example that all pages share.

#include "plan.cuh"

#include <harness/running_example.cuh>

namespace {

using namespace swizzle_pipeline;

struct Tiles : LargeTiles {
  static constexpr int BN = 128;
};
using Small = Config<Tiles, 2, 8>;

int run() {
  return harness::running_example::run(
      kName, [](const auto& g) { return prepare<core::bf16, Small>(g); },
      [](const auto&, int block, int) { return tile_coord<Small::kGroupRows>(block, 2, 2); });
}

const harness::Registration registration(harness::running_example::demonstration(kName, run));

}  // namespace

// `--variant running_example`: the kernel with the tiles of the example that all pages share.

#include "plan.cuh"

#include <harness/running_example.cuh>

namespace {

using namespace wgmma_tma;

using Small = Config<128, 128, 2>;

const harness::Registration registration(harness::running_example::demonstration(kName, [] {
  return harness::running_example::run(
      kName, [](const auto& g) { return prepare<core::bf16, Small>(g); }, tile_coord<8>);
}));

}  // namespace

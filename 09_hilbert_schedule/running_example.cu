// `--variant running_example`: the kernel with the tiles of the example that all pages share.

#include "plan.cuh"

#include <harness/running_example.cuh>

namespace {

using namespace hilbert_schedule;

using Small = Config<128, 128, 2, 2, Rows::kPlain, Store::kDeferred>;

int run() {
  const auto two_blocks = [](const auto& g) {
    auto plan = prepare<core::bf16, Small>(g);
    plan.shape.grid = dim3(2);
    return plan;
  };
  return harness::running_example::run(kName, two_blocks, [](const auto& plan, int block, int i) {
    return plan.schedule.order[block + 2 * i];
  });
}

const harness::Registration registration(harness::running_example::demonstration(kName, run));

}  // namespace

// `--variant timeline`: one block of the kernel with a ring that takes notes, printed as JSON for
// plots/timeline.py.

#include "plan.cuh"

#include <harness/chapter.hpp>
#include <harness/ring_timeline.cuh>

namespace {

using namespace hilbert_schedule;

using Usual = Config<Tiles<128, 256, 4, 2>>;
struct WithNotes : Usual {
  using Ring = harness::ring_timeline::Watched<Usual::Ring>;
};

int run() {
  return harness::ring_timeline::show(kName, Usual::kConsumers, [](const gemm::Problem& problem) {
    auto plan = prepare<core::bf16, WithNotes>(operands<core::bf16>(problem), Route{});
    plan.work.schedule.placed = false;  // a few blocks are to have all tiles
    return plan;
  });
}

const harness::Registration registration(harness::ring_timeline::demonstration(kName, run));

}  // namespace

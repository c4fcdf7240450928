// `--variant timeline`: one block of the kernel with a ring that takes notes, as a Chrome
// trace: printed, or written by `--trace`.

#include "plan.cuh"

#include <harness/chapter.hpp>
#include <harness/ring_timeline.cuh>

namespace {

using namespace cluster_multicast;

using Usual = Config<128, 256, 4, 2, Rows::kPermuted, 2, 1>;
struct WithNotes : Usual {
  using Ring = harness::ring_timeline::Watched<Usual::Ring>;
};

std::string trace() {
  return harness::ring_timeline::trace(
      kName, Usual::kConsumers, Usual::kStages, [](const gemm::Problem& problem) {
        return prepare<core::bf16, WithNotes>(gemm::typed_operands<core::bf16>(problem));
      });
}

const harness::Registration registration(harness::ring_timeline::demonstration(kName, trace));

}  // namespace

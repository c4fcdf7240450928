#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using smem_tiling::Config;

// The widest loads that the problem allows: 128 bits, or what K, strides and addresses permit.
template <bool kPadded>
harness::Plan vectorized(const gemm::Problem& problem) {
  return gemm::with_load_width(problem, [&]<class T, int kVector>(const auto& g) -> harness::Plan {
    return smem_tiling::prepare<T, Config<kVector, kPadded>>(g);
  });
}

template <bool kPadded>
harness::Plan scalar(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    return smem_tiling::prepare<T, Config<1, kPadded>>(g);
  });
}

const harness::Registration registration({
    .name = smem_tiling::kName,
    .title = "Shared-memory tiling",
    .idea = "tiles in shared memory, outputs in registers, 128-bit loads",
    .ceiling = harness::Ceiling::kFfma,
    .min_compute_capability = 80,
    .variants =
        {
            {"vectorized", "128-bit loads, padded shared memory", vectorized<true>},
            {"vectorized_unpadded", "128-bit loads, no padding", vectorized<false>},
            {"scalar", "one element per load, padded shared memory", scalar<true>},
            {"scalar_unpadded", "one element per load, no padding", scalar<false>},
        },
});

}  // namespace

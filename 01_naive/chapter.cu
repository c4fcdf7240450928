#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

template <class Config>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return naive::prepare<T, Config>(gemm::typed_operands<T>(problem));
  });
}

const harness::Registration registration({
    .name = naive::kName,
    .title = "Naive",
    .idea = "three nested loops, one thread per output",
    .ceiling = harness::Ceiling::kFfma,
    .min_compute_capability = 80,
    .variants =
        {
            {"strided", "a warp lies along a row of C: 32 rows of B in flight",
             prepare<naive::Strided>},
            {"coalesced", "a warp walks K together and reduces by shuffles",
             prepare<naive::Coalesced>},
        },
});

}  // namespace

#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

template <class Mapping>
harness::Plan prepare(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return naive::prepare<T, Mapping>(problem);
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
            {"square", "a warp covers 4 x 8 outputs: 4 rows of A, 8 of B", prepare<naive::Square>},
            {"coalesced", "a warp walks K together and reduces by shuffles",
             prepare<naive::Coalesced>},
        },
});

}  // namespace

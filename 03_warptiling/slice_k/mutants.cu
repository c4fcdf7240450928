// What planted bugs are built with: the shared tile's kernels, vectorized and not.

#include "../plan.cuh"
#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace slice_k;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (gemm::load_width(g) == 8) return slice_k::prepare<T, Config<SharedTile, 8>>(g);
    return slice_k::prepare<T, Config<SharedTile, 1>>(g);
  });
}

const harness::Registration registration({.name = kName, .variants = {{"plain", "", plan}}});

}  // namespace

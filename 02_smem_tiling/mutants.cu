// What planted bugs are built with: the default's kernels, vectorized and not.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace smem_tiling;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (gemm::load_width(g) == 8) return prepare<T, Config<8, true>>(g);
    return prepare<T, Config<1, true>>(g);
  });
}

const harness::Registration registration({.name = kName, .variants = {{"plain", "", plan}}});

}  // namespace

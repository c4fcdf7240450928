// What planted bugs are built with: small tiles, vectorized and not.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace swizzle_pipeline;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (gemm::load_width(g) == 8) return prepare<T, Config<SmallTiles, 4, 8>>(g);
    return prepare<T, Config<NarrowTiles, 4, 1>>(g);
  });
}

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kMmaSync,
    .variants = {{"plain", "", plan}},
});

}  // namespace

// What planted bugs are built with: small tiles, vectorized and not, nothing but the plain problem.
// mutants_options.cu: the rest.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace swizzle_pipeline;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::plain_operands<T>(problem, kName);
    if (copy_width(g) == 8) return prepare<T, Config<SmallTiles, 4, 8>>(g, Identity{});
    return prepare<T, Config<Shallow<SmallTiles>, 4, 1>>(g, Identity{});
  });
}

const harness::Registration registration({.name = kName, .variants = {{"plain", "", plan}}});

}  // namespace

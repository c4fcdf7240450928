// What planted bugs are built with: small tiles, vectorized and not.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace mma_ldmatrix;

template <FragmentLoad kLoad>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    if (gemm::load_width(g) == 8) return prepare<T, Config<SmallTiles, 8, kLoad>>(g);
    return prepare<T, Config<NarrowTiles, 1, kLoad>>(g);
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"ldmatrix", "", plan<FragmentLoad::kLdmatrix>},
                 {"lds", "", plan<FragmentLoad::kLds>}},
});

}  // namespace

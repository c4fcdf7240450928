// What planted bugs are built with: small tiles, vectorized and not, and B both ways round.

#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace mma_ldmatrix;

// kFetch: for the B whose N is contiguous; nothing else differs.
template <Fetch kFetch>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    if (problem.b_major == Major::kMn) {
      return prepare<T, Config<NarrowTiles, 1, Major::kMn, kFetch>>(g);
    }
    if (load_width<Major::kK>(g) == 8) {
      return prepare<T, Config<SmallTiles, 8, Major::kK, Fetch::kLdmatrix>>(g);
    }
    return prepare<T, Config<NarrowTiles, 1, Major::kK, Fetch::kLdmatrix>>(g);
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"ldmatrix", "", plan<Fetch::kLdmatrix>}, {"lds", "", plan<Fetch::kLds>}},
    .layouts = {"tn", "tt"},
});

}  // namespace

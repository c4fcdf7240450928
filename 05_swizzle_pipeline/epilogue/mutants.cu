// What planted bugs are built with: small tiles, vectorized and not.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace epilogue;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    return with_op<T>(problem.epilogue, [&](const auto& op) -> harness::Plan {
      if (gemm::load_width(g) == 8) return prepare<T, Config<SmallTiles, 4, 8>>(g, op);
      return prepare<T, Config<NarrowTiles, 4, 1>>(g, op);
    });
  });
}

const harness::Registration registration({
    .name = epilogue::kName,
    .ceiling = harness::Ceiling::kMmaSync,
    .variants = {{"plain", "", plan}},
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
});

}  // namespace

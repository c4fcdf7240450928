// What planted bugs in the split of K in one launch are built with.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace swizzle_pipeline;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    return with_epilogue<T>(problem, [&](const auto& epilogue) -> harness::Plan {
      return prepare_fused<T, Config<Shallow<SmallTiles>, 4, 1>>(g, epilogue, problem.split_k);
    });
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"fused", "", plan}},
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .splits_k = true,
});

}  // namespace

// What planted bugs in epilogues and in the split of K are built with.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace swizzle_pipeline;
using C = Config<Shallow<SmallTiles>, 4, 1>;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    const gemm::Epilogue& wanted = problem.epilogue;
    if (wanted.kind == gemm::EpilogueKind::kAlphaBeta) {
      return prepare<T, C>(g, AlphaBeta{wanted.alpha, wanted.beta});
    }
    if (wanted.kind == gemm::EpilogueKind::kBiasRelu) {
      return prepare<T, C>(g, BiasRelu<T>{static_cast<const T*>(wanted.bias)});
    }
    return prepare_split<T, C>(g, Identity{}, problem.split_k);
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"options", "", plan}},
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .splits_k = true,
});

}  // namespace

// Functors, in tiles of six parts: more than there are steps of K to read C beside. A B that is
// contiguous along N, in tiles of two boxes.

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace hilbert_schedule;

struct Plain : Ways<> {
  static constexpr Store kStore = Store::kDirect;
  static constexpr bool kDeferred = false;
};
using C = Config<Tiles<64, 384, 3, 1, 192>, Plain>;
struct AlongN : Plain {
  static constexpr auto kMajorB = core::Major::kMn;
};

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    const gemm::Epilogue& wanted = problem.epilogue;
    if (problem.b_major == core::Major::kMn) {
      return prepare<T, Config<Tiles<64, 128, 3, 1>, AlongN>>(g, Route{}, Identity{});
    }
    if (wanted.kind == gemm::EpilogueKind::kBiasRelu) {
      // One block for all tiles: what it brings for one, it brings over what another needed.
      auto plan = prepare<T, Config<Tiles<64, 64, 3, 1>, Plain>>(
          g, Route{}, BiasRelu<T>{static_cast<const T*>(wanted.bias)});
      plan.deal_to(1);
      return plan;
    }
    if (wanted.kind == gemm::EpilogueKind::kAlphaBeta) {
      return prepare<T, C>(g, Route{}, AlphaBeta{wanted.alpha, wanted.beta});
    }
    return prepare<T, C>(g, Route{}, Identity{});
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"options", "", plan}},
    .layouts = {"tn", "nn"},
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
});

}  // namespace

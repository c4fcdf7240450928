// Every EpilogueOp, in tiles of six subtiles: more than there are k-tiles to read C beside. A B
// that is contiguous along N, in tiles of two boxes.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace every_shape;

template <class Base>
using Plain = PlainRows<Immediate<Direct<Base>>>;
using Six = Config<Plain<Tile<64, 384, 3, 1, 192>>>;
using AlongN = Config<Majors<core::Major::kK, core::Major::kMn, Plain<Tile<64, 128, 3, 1>>>>;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = gemm::typed_operands<T>(problem);
    const gemm::Epilogue& wanted = problem.epilogue;
    if (problem.b_major == core::Major::kMn) return prepare<T, AlongN>(g, LaunchPolicy{});
    if (wanted.kind == gemm::EpilogueKind::kBiasRelu) {
      // One block for all tiles: what it loads for one, it loads over what another needed.
      auto plan = prepare<T, Config<Plain<Tile<64, 64, 3, 1>>>>(
          g, LaunchPolicy{}, gemm::BiasRelu<T>{static_cast<const T*>(wanted.bias)});
      plan.deal_to(1);
      return plan;
    }
    if (wanted.kind == gemm::EpilogueKind::kAlphaBeta) {
      return prepare<T, Six>(g, LaunchPolicy{}, gemm::AlphaBeta{wanted.alpha, wanted.beta});
    }
    return prepare<T, Six>(g, LaunchPolicy{});
  });
}

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"options", "", plan}},
    .layouts = {"tn", "tt"},
    .epilogues = {"identity", "alpha_beta", "bias_relu"},
    .tma_operands = true,
});

}  // namespace

// Epilogues, in tiles of twelve subtiles; a B that is contiguous along N; blocks that share
// out k-tiles, by stream-K and by split-K; consumers that take turns.
#include "../build_tiling.cuh"

using namespace every_shape;

template <class Base>
using Plain = PlainRows<Immediate<Direct<Base>>>;
using One = Config<Plain<Tile<64, 64, 3, 1>>>;
using Twelve = Config<Plain<Tile<128, 384, 2, 1, 192>>>;
using AlongN = Config<Majors<core::Major::kK, core::Major::kMn, Plain<Tile<64, 96, 3, 1>>>>;
using Shared = Config<StreamK<Plain<Tile<128, 64, 3, 2>>>>;
using Split = Config<SplitK<2, Plain<Tile<64, 64, 4, 1>>>>;
using Alternating = Config<PingPong<InFlight<Plain<Tile<64, 64, 3, 2>>>>>;

harness::Plan plan(const gemm::Problem& problem) {
  const auto g = gemm::typed_operands<core::bf16>(problem);
  const gemm::Epilogue& wanted = problem.epilogue;
  if (problem.b_major == core::Major::kMn) return prepare<core::bf16, AlongN>(g, LaunchPolicy{});
  if (problem.split_k > 1) {  // one after the other
    const auto split = prepare<core::bf16, Split>(g, LaunchPolicy{});
    const auto shared = with_workspace(prepare<core::bf16, Shared>(g, LaunchPolicy{}));
    return [split, shared](gpu::Stream stream) {
      split.run(stream);
      shared.run(stream);
    };
  }
  if (wanted.kind == gemm::EpilogueKind::kBiasRelu) {
    // One block for all tiles: what it loads for one, it loads over what another needed.
    auto plan = prepare<core::bf16, One>(g, LaunchPolicy{}, Linear<core::bf16>(wanted));
    plan.assign_to(1);
    return plan;
  }
  if (wanted.kind == gemm::EpilogueKind::kAlphaBeta) {
    return prepare<core::bf16, Twelve>(g, LaunchPolicy{},
                                       gemm::AlphaBeta{wanted.alpha, wanted.beta});
  }
  const auto twelve = prepare<core::bf16, Twelve>(g, LaunchPolicy{});
  auto alternating = prepare<core::bf16, Alternating>(g, LaunchPolicy{});
  alternating.assign_to(1);
  return [twelve, alternating](gpu::Stream stream) {
    twelve.run(stream);
    alternating.run(stream);
  };
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"options", "", plan}},
                               .layouts = {"tn", "tt"},
                               .epilogues = {"identity", "alpha_beta", "bias_relu"},
                               .splits_k = true,
                               .tma_operands = true};

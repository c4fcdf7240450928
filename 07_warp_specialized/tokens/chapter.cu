#include "kernel.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace tokens;

template <Rows kRows, bool kTokens, Order kOrder>
using Large = Config<OperandTile<128, Rows::kPlain>, OperandTile<256, kRows>, 4, kTokens, kOrder>;
template <Load kLoad>
using Wide = Config<WideTile<128, kLoad>, WideTile<128, kLoad>, 3>;

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return tokens::prepare<T, C>(gemm::typed_operands<T>(problem));
  });
}

// Rows of B permuted where that is possible.
template <bool kTokens, Order kOrder>
harness::Plan large(const gemm::Problem& problem) {
  if (warp_specialized::can_permute(problem)) {
    return plan<Large<Rows::kPermuted, kTokens, kOrder>>(problem);
  }
  return plan<Large<Rows::kPlain, kTokens, kOrder>>(problem);
}

// 128 columns by one instruction where K allows it.
template <Load kLoad>
harness::Plan wide(const gemm::Problem& problem) {
  return problem.k % 64 == 0 ? plan<Wide<kLoad>>(problem) : plan<Wide<Load::k2D>>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Tokens, wide tiles, ranges",
    .idea = "chapter 07's kernel with barriers, tensor maps and ranges of tiles of another kind",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"tokens", "128x256 tiles, barriers by token, where every thread arrives",
             large<true, Order::kGrouped>},
            {"tma_2d", "128x128x128 tiles, a TMA instruction for every 64 columns",
             wide<Load::k2D>},
            {"tma_3d", "with one for all columns, by a map of rank 3", wide<Load::k3D>},
            {"tma_5d", "with one for all columns, by a map of rank 5", wide<Load::k5D>},
            {"schedule_static", "128x256 tiles, a contiguous range of them for each block",
             large<false, Order::kStatic>},
        },
    .tma_operands = true,
});

}  // namespace

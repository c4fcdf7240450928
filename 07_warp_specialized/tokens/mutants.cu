// What planted bugs are built with: two blocks for all tiles of C, so that rings go on from tile to
// tile; tokens over contiguous ranges, and wide tiles by each kind of map.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace tokens;

template <class C>
harness::Plan by_two_blocks(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
  return plan;
}

harness::Plan static_tokens(const gemm::Problem& problem) {
  using Tile = OperandTile<64, Rows::kPlain>;
  return by_two_blocks<Config<OperandTile<128, Rows::kPlain>, Tile, 4, true, Order::kStatic>>(
      problem);
}

template <Load kLoad>
harness::Plan wide(const gemm::Problem& problem) {
  if (problem.k % 64 != 0) {
    return by_two_blocks<Config<WideTile<128, Load::k2D>, WideTile<64, Load::k2D>, 2>>(problem);
  }
  return by_two_blocks<Config<WideTile<128, kLoad>, WideTile<64, kLoad>, 2>>(problem);
}

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"static_tokens", "", static_tokens}, {"tma_3d", "", wide<Load::k3D>}},
    .tma_operands = true,
});

}  // namespace

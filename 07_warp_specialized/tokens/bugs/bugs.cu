// Two blocks for all tiles of C, so that rings go on from tile to tile; tokens over contiguous
// ranges, and wide tiles.
#include "../kernel.cuh"

using namespace tokens;
using TileA = OperandTile<128, Rows::kPlain>;
using TileB = OperandTile<64, Rows::kPlain>;
using Tokens = Config<TileA, TileB, 4, true, Order::kStatic>;
using Wide = Config<WideTile<128, Load::k2D>, WideTile<64, Load::k2D>, 2>;

template <class Config>
harness::Plan by_two_blocks(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, Config>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
  return plan;
}

const harness::Chapter chapter{
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"tokens", "", by_two_blocks<Tokens>}, {"wide", "", by_two_blocks<Wide>}},
    .tma_operands = true};

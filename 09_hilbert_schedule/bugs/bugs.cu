// One or two blocks for all tiles of C, so that one tile is stored while the next is multiplied. As
// many chunks as K often has k-tiles, and twice as many; and stored by the threads where TMA
// cannot.
#include "../plan.cuh"

using namespace hilbert_schedule;

using Two = Config<128, 128, 3, 2, Rows::kPlain, Store::kDeferred>;
using Four = Config<64, 256, 3, 1, Rows::kPlain, Store::kDeferred>;
using Direct = Config<128, 128, 3, 2, Rows::kPlain>;

template <class Config, unsigned kBlocks>
harness::Plan by_few(const gemm::Problem& problem) {
  if constexpr (Config::kStore == Store::kDeferred) {
    if (!can_store_by_tma(problem)) return by_few<Direct, kBlocks>(problem);
  }
  auto plan = prepare<core::bf16, Config>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, kBlocks);
  return plan;
}

const harness::Chapter chapter{
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"two_chunks", "", by_few<Two, 1>}, {"four_chunks", "", by_few<Four, 2>}},
    .tma_operands = true};

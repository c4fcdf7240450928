// What planted bugs are built with: one or two blocks for all tiles of C, so that one tile is on
// its way out while the next is multiplied. As many chunks as K often has k-tiles, and twice as
// many; stored at once; and stored by the threads where TMA cannot.

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace hilbert_schedule;

using Two = Config<128, 128, 3, 2, Rows::kPlain, Store::kDeferred>;
using Four = Config<64, 256, 3, 1, Rows::kPlain, Store::kDeferred>;
using Immediate = Config<128, 128, 3, 2, Rows::kPlain, Store::kImmediate>;
using Direct = Config<128, 128, 3, 2, Rows::kPlain>;

template <class C>
harness::Plan plan(const gemm::Problem& problem, unsigned blocks) {
  auto plan = prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(problem));
  plan.shape.grid.x = std::min(plan.shape.grid.x, blocks);
  return plan;
}

template <class C, unsigned kBlocks>
harness::Plan by_few(const gemm::Problem& problem) {
  return can_store_by_tma(problem) ? plan<C>(problem, kBlocks) : plan<Direct>(problem, kBlocks);
}

const harness::Registration registration({.name = kName,
                                          .ceiling = harness::Ceiling::kWgmma,
                                          .variants = {{"two_chunks", "", by_few<Two, 1>},
                                                       {"four_chunks", "", by_few<Four, 2>},
                                                       {"immediate", "", by_few<Immediate, 2>}},
                                          .tma_operands = true});

}  // namespace

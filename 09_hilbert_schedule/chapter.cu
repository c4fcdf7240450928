#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace hilbert_schedule;

using Deferred = Config<128, 256, 4, 2, Rows::kPlain, Store::kDeferred>;
using Immediate = Config<128, 256, 4, 2, Rows::kPlain, Store::kImmediate>;
// As in chapter 08, for problems that are one wave of tiles or less.
template <Rows kRows>
using Large = Config<128, 256, 4, 2, kRows>;
template <Rows kRows>
using Medium = Config<128, 128, 6, 1, kRows>;
template <Rows kRows>
using Small = Config<64, 128, 8, 1, kRows>;
template <Rows kRows>
using Tiny = Config<64, 64, 8, 1, kRows>;

template <class C>
harness::Plan plan(const gemm::Problem& problem, const LaunchPolicy& policy = {}) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return hilbert_schedule::prepare<T, C>(gemm::typed_operands<T>(problem), policy);
  });
}

// Rows of B permuted where that is possible.
template <template <Rows> class C>
harness::Plan prepare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C<Rows::kPermuted>>(problem);
  return plan<C<Rows::kPlain>>(problem);
}

// With C stored by TMA where that is possible, and as in chapter 08 elsewhere.
template <class C, Order kOrder = Order::kHilbert, bool kReverseK = true>
harness::Plan by_tma(const gemm::Problem& problem) {
  if (!can_store_by_tma(problem)) return prepare<Large>(problem);
  return plan<C>(problem, {.order = kOrder, .reverse_k = kReverseK});
}

// The tile that keeps most of the tensor cores busy: how fast a tile is on its SM (large: 1), and
// how many SMs have one. Where a block has a single tile there is none to store it beside.
harness::Plan by_size(const gemm::Problem& problem) {
  const int sms = gpu::sm_count();
  const double large = gemm::wave_efficiency(problem, 128, 256, sms),
               medium = 0.93 * gemm::wave_efficiency(problem, 128, 128, sms),
               small = 0.85 * gemm::wave_efficiency(problem, 64, 128, sms),
               tiny = 0.5 * gemm::wave_efficiency(problem, 64, 64, sms);
  if (large >= std::max({medium, small, tiny})) {
    const auto waves = gemm::waves_of(gemm::tiles_of(problem, 128, 256), sms);
    return waves > 1 ? by_tma<Deferred>(problem) : prepare<Large>(problem);
  }
  if (medium >= std::max(small, tiny)) return prepare<Medium>(problem);
  return small >= tiny ? prepare<Small>(problem) : prepare<Tiny>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Hilbert schedule",
    .idea = "stored while the next is multiplied, tiles in an order that the L2 likes",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"by_size", "128x256 tiles along a Hilbert curve; smaller ones as in chapter 08",
             by_size},
            {"hilbert", "128x256 tiles at every size", by_tma<Deferred>},
            {"snake", "128x256 tiles, groups of 16 rows, every second from the right",
             by_tma<Deferred, Order::kSnake>},
            {"row_major", "128x256 tiles row by row", by_tma<Deferred, Order::kRowMajor>},
            {"immediate", "128x256 tiles, each stored before the next begins", by_tma<Immediate>},
            {"no_reversal", "128x256 tiles, every one from the start of K",
             by_tma<Deferred, Order::kHilbert, false>},
        },
    .tma_operands = true,
});

}  // namespace

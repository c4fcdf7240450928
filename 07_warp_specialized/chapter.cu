#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace warp_specialized;

template <Rows kRows>
using Large = Config<128, 256, 4, 2, kRows>;
template <Rows kRows>
using Medium = Config<128, 128, 6, 1, kRows>;
template <Rows kRows>
using Small = Config<64, 128, 8, 1, kRows>;
template <Rows kRows>
using Tiny = Config<64, 64, 8, 1, kRows>;

struct EqualRegisters : Large<Rows::kPermuted> {
  static constexpr bool kMovesRegisters = false;
};
struct NotPersistent : Large<Rows::kPermuted> {
  static constexpr bool kPersistent = false;
};
struct WaitForAll : Large<Rows::kPermuted> {
  static constexpr int kMmasInFlight = 0;
};

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return warp_specialized::prepare<T, C>(gemm::typed_operands<T>(problem));
  });
}

// Rows of B permuted where that is possible.
template <template <Rows> class C>
harness::Plan prepare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C<Rows::kPermuted>>(problem);
  return plan<C<Rows::kPlain>>(problem);
}

// For comparison, where that is possible; other problems run as plain_rows does.
template <class C>
harness::Plan compare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C>(problem);
  return plan<Large<Rows::kPlain>>(problem);
}

// The tile that keeps most of the tensor cores busy: how fast a tile is on its SM (large: 1), and
// how many SMs have one.
harness::Plan by_size(const gemm::Problem& problem) {
  const int sms = gpu::sm_count();
  const double large = gemm::wave_efficiency(problem, 128, 256, sms),
               medium = 0.93 * gemm::wave_efficiency(problem, 128, 128, sms),
               small = 0.85 * gemm::wave_efficiency(problem, 64, 128, sms),
               tiny = 0.5 * gemm::wave_efficiency(problem, 64, 64, sms);
  if (large >= std::max({medium, small, tiny})) return prepare<Large>(problem);
  if (medium >= std::max(small, tiny)) return prepare<Medium>(problem);
  return small >= tiny ? prepare<Small>(problem) : prepare<Tiny>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Warp specialisation",
    .idea = "producers, consumers, a ring of barriers, and blocks that stay",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"by_size", "of four tiles the one that suits the size", by_size},
            {"plain_rows", "128x256 tiles, rows of B as they come, stores of two elements",
             plan<Large<Rows::kPlain>>},
            {"one_consumer", "128x128 tiles, one consumer, 6 stages", prepare<Medium>},
            {"no_setmaxnreg", "128x256 tiles, as many registers for all warps",
             compare<EqualRegisters>},
            {"not_persistent", "128x256 tiles, a block for each", compare<NotPersistent>},
            {"wait_0", "128x256 tiles, no MMAs in flight when the next begin", compare<WaitForAll>},
        },
    .tma_operands = true,
});

}  // namespace

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>
#include <cstdint>

namespace {

using namespace warp_specialized;

using TwoConsumers = Tiles<128, 256, 64, 4, 2>;
using OneConsumer = Tiles<128, 128, 64, 6, 1>;
using SmallTiles = Tiles<64, 128, 64, 8, 1>;
using TinyTiles = Tiles<64, 64, 64, 8, 1>;
using DeepTiles = Tiles<128, 128, 128, 3, 2>;

struct Pairs : Ways {
  static constexpr Load kLoadB = Load::k2D;
};
struct Tokens : Ways {
  static constexpr bool kTokens = true;
};
struct EqualRegisters : Ways {
  static constexpr bool kMoveRegisters = false;
};
struct NotPersistent : Ways {
  static constexpr bool kPersistent = false;
};
struct Static : Ways {
  static constexpr Order kOrder = Order::kStatic;
};
struct WaitForAll : Ways {
  static constexpr int kInFlight = 0;
};
template <Load kLoad>
struct Loads : Ways {
  static constexpr Load kLoadA = kLoad, kLoadB = kLoad;
};

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return warp_specialized::prepare<T, C>(operands<T>(problem));
  });
}

// Rows of B dealt out where that is possible.
template <class Tiles>
harness::Plan prepare(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (can_deal(problem)) return plan<Config<Tiles>>(problem);
  return plan<Config<Tiles, Pairs>>(problem);
}

// For comparison, where that is possible; other problems run as `pairs` does.
template <class Ways_>
harness::Plan compare(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (can_deal(problem)) return plan<Config<TwoConsumers, Ways_>>(problem);
  return plan<Config<TwoConsumers, Pairs>>(problem);
}

// Tiles of 128 columns, by one instruction where K allows it.
template <Load kLoad>
harness::Plan deep(const gemm::Problem& problem) {
  if (problem.k % 64 != 0) return plan<Config<DeepTiles, Loads<Load::k2D>>>(problem);
  return plan<Config<DeepTiles, Loads<kLoad>>>(problem);
}

// What a tiling is worth for a problem: how fast it is with all SMs busy (two consumers: 100), and
// how busy they are if every SM works as long as the busiest.
template <class Tiles>
double score(const gemm::Problem& problem, double speed) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t tiles = ceil_div(problem.m, Tiles::BM) * ceil_div(problem.n, Tiles::BN);
  const std::int64_t sms = gpu::sm_count(), rounds = ceil_div(tiles, sms);
  return speed * static_cast<double>(tiles) /
         static_cast<double>(std::max<std::int64_t>(1, rounds) * sms);
}

// The tiling with the best score.
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  const double two = score<TwoConsumers>(problem, 100), one = score<OneConsumer>(problem, 93),
               small = score<SmallTiles>(problem, 85), tiny = score<TinyTiles>(problem, 50);
  if (two >= std::max({one, small, tiny})) return prepare<TwoConsumers>(problem);
  if (one >= std::max(small, tiny)) return prepare<OneConsumer>(problem);
  return small >= tiny ? prepare<SmallTiles>(problem) : prepare<TinyTiles>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Warp specialisation",
    .idea = "producers, consumers, a ring of barriers, and blocks that stay",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"by_size", "of four tilings the one that suits the size", by_size},
            {"two_consumers", "128x256 tiles, two consumers, 4 stages", prepare<TwoConsumers>},
            {"one_consumer", "128x128 tiles, one consumer, 6 stages", prepare<OneConsumer>},
            {"small_tiles", "64x128 tiles, one consumer, 8 stages", prepare<SmallTiles>},
            {"tiny_tiles", "64x64 tiles, one consumer, 8 stages", prepare<TinyTiles>},
            {"pairs", "128x256 tiles, rows of B as they come, stores of two results",
             plan<Config<TwoConsumers, Pairs>>},
            {"cuda_barrier", "128x256 tiles, barriers by token, where every thread arrives",
             compare<Tokens>},
            {"no_setmaxnreg", "with as many registers for all warps", compare<EqualRegisters>},
            {"not_persistent", "with a block for each tile", compare<NotPersistent>},
            {"schedule_static", "with a contiguous range of tiles for each block", compare<Static>},
            {"wait_0", "with no multiplication in flight when the next begins",
             compare<WaitForAll>},
            {"tma_2d", "128x128x128 tiles, stores of two, a TMA instruction for every 64 columns",
             deep<Load::k2D>},
            {"tma_3d", "with one for all columns, by a map of rank 3", deep<Load::k3D>},
            {"tma_5d", "with one for all columns, by a map of rank 5", deep<Load::k5D>},
        },
    .tma_operands = true,
});

}  // namespace

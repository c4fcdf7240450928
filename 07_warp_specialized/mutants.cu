// What planted bugs are built with: two blocks for all tiles of C, so that rings go on from tile to
// tile; one tiling with two consumers in every way of working, one with a single consumer, one with
// two boxes to a tile.

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace warp_specialized;

using TwoConsumers = Tiles<128, 64, 64, 4, 2>;
using OneConsumer = Tiles<64, 64, 64, 3, 1>;
using DeepTiles = Tiles<128, 64, 128, 2, 2>;

struct Pairs : Ways {
  static constexpr Load kLoadB = Load::k2D;
};
struct StaticTokens : Ways {
  static constexpr Order kOrder = Order::kStatic;
  static constexpr bool kTokens = true;
};
struct WaitForAll : Ways {
  static constexpr int kInFlight = 0;
};

template <class C>
harness::Plan by_two_blocks(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    auto plan = prepare<T, C>(operands<T>(problem));
    plan.shape.grid.x = std::min(plan.shape.grid.x, 2u);
    return plan;
  });
}

template <class Tiles, class Ways_ = Ways>
harness::Plan plan(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (can_deal(problem)) return by_two_blocks<Config<Tiles, Ways_>>(problem);
  return by_two_blocks<Config<Tiles, Pairs>>(problem);
}

const harness::Registration registration({
    .name = kName,
    .variants =
        {
            {"two_consumers", "", plan<TwoConsumers>},
            {"pairs", "", by_two_blocks<Config<TwoConsumers, Pairs>>},
            {"static_tokens", "", plan<TwoConsumers, StaticTokens>},
            {"wait_0", "", plan<OneConsumer, WaitForAll>},
            {"deep", "", plan<DeepTiles>},
        },
});

}  // namespace

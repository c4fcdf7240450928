// What planted bugs are built with: clusters of four, in which everything is shared; two of them
// for all tiles of C, so that rings go on from tile to tile, and groups small enough that there are
// several; rows of B both ways.

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace cluster_multicast;

struct Dealt : Ways<2, 2> {
  static constexpr int kGroupRows = 4;
};
struct Pairs : Dealt {
  static constexpr Rows kRows = Rows::kPlain;
  static constexpr Store kStore = Store::kReordered;
};

template <class C>
harness::Plan by_two_clusters(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    auto plan = prepare<T, C>(operands<T>(problem));
    plan.shape.grid.x = std::min(plan.shape.grid.x, 8u);
    return plan;
  });
}

harness::Plan plan(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (problem.n % 32 == 0 && problem.ldc % 8 == 0) {
    return by_two_clusters<Config<Tiles<64, 64, 3, 1>, Dealt>>(problem);
  }
  return by_two_clusters<Config<Tiles<128, 64, 3, 2>, Pairs>>(problem);
}

const harness::Registration registration({.name = kName, .variants = {{"plain", "", plan}}});

}  // namespace

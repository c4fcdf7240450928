// What planted bugs are built with: one small tile and a cluster of four, in which everything is
// shared, and rows of B both ways.

#include "plan.cuh"

#include <harness/chapter.hpp>

namespace {

using namespace cluster_multicast;

struct Pairs : Ways<2, 2> {
  static constexpr Rows kRows = Rows::kPlain;
};
using Tile = Tiles<128, 64, 3, 2>;

harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const auto g = operands<T>(problem);
    if (problem.n % 32 == 0 && problem.ldc % 8 == 0) return prepare<T, Config<Tile, Ways<2, 2>>>(g);
    return prepare<T, Config<Tile, Pairs>>(g);
  });
}

const harness::Registration registration({.name = kName, .variants = {{"plain", "", plan}}});

}  // namespace

// Tiles stored at once, by two boxes in turn, clusters with one k-tile in flight, and blocks that
// divide K.

#include "mutants.cuh"

namespace {

using namespace every_shape;

using AtOnceByTwo = Immediate<Tile<64, 128, 3, 1>>;
using PairsInFlight = InFlight<Clustered<2, 2, Tile<64, 64, 3, 1>>>;

harness::Plan split(const gemm::Problem& problem) {
  using Choice = SplitK<2, PlainRows<Immediate<Direct<Tile<128, 64, 3, 2>>>>>;
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), LaunchPolicy{});
  });
}

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"immediate", "", by_few<AtOnceByTwo, Rasterization::kRows, 1>},
                 {"in_flight", "", by_few<PairsInFlight, Rasterization::kSnake, 2>},
                 {"split", "", split}},
    .tma_operands = true,
});

}  // namespace

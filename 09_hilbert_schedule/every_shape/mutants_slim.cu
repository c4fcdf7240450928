// Tiles stored at once, by two boxes in turn, clusters with one step of K in flight, and blocks
// that divide K.

#include "mutants.cuh"

namespace {

using namespace hilbert_schedule;

struct Immediate : Ways<> {
  static constexpr bool kDeferred = false;
};
struct InFlight : Ways<2, 2> {
  static constexpr int kInFlight = 1;
};

struct Split : Any {
  static constexpr bool kDeferred = false;
  static constexpr int kSplit = 2;
};
harness::Plan by_two(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  gemm::require_plain(problem, kName);
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return prepare<T, Config<Tiles<128, 64, 3, 2>, Split>>(operands<T>(problem), Route{});
  });
}

const harness::Registration registration({
    .name = kName,
    .variants = {{"immediate", "",
                  by_few<Config<Tiles<64, 128, 3, 1>, Immediate>, Order::kRows, 1>},
                 {"in_flight", "", by_few<Config<Tiles<64, 64, 3, 1>, InFlight>, Order::kSnake, 2>},
                 {"split", "", by_two}},
});

}  // namespace

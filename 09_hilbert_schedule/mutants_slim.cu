// Tiles stored at once, by two boxes in turn, and clusters with one step of K in flight.

#include "mutants.cuh"

namespace {

using namespace hilbert_schedule;

struct Immediate : Ways<> {
  static constexpr bool kDeferred = false;
};
struct InFlight : Ways<2, 2> {
  static constexpr int kInFlight = 1;
};

const harness::Registration registration({
    .name = kName,
    .variants = {{"immediate", "",
                  by_few<Config<Tiles<64, 128, 3, 1>, Immediate>, Order::kRows, 1>},
                 {"in_flight", "",
                  by_few<Config<Tiles<64, 64, 3, 1>, InFlight>, Order::kSnake, 2>}},
});

}  // namespace

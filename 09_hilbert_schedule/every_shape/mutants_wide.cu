// Tiles of twelve parts, of four products: more parts than K has steps; B comes in two boxes.

#include "mutants.cuh"

namespace {

using namespace hilbert_schedule;

using Twelve = Tiles<128, 384, 2, 1, 192>;

struct Dealt : Any {
  static constexpr Rows kRows = Rows::kDealt;
  static constexpr bool kDeferred = false;
};

const harness::Registration registration({
    .name = kName,
    .variants = {{"boxes", "", by_few<Config<Twelve>, Order::kHilbert, 1>},
                 {"dealt", "", by_few<Config<Twelve, Dealt>, Order::kGroups, 1>}},
});

}  // namespace

// Most planted bugs show in tiles of two parts for each of two consumers.

#include "mutants.cuh"

namespace {

using namespace hilbert_schedule;

const harness::Registration registration({
    .name = kName,
    .variants = {{"two", "", by_few<Config<Two>, Order::kSnake, 2>}},
});

}  // namespace

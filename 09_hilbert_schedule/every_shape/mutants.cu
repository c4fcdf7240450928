// Most planted bugs show in tiles of two subtiles for each of two consumers.

#include "mutants.cuh"

namespace {

using namespace every_shape;

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"two", "", by_few<Two, Rasterization::kSnake, 2>}},
    .tma_operands = true,
});

}  // namespace

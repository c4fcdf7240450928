// Tiles of twelve subtiles, of four MMAs: more subtiles than K has k-tiles; B comes in two boxes.

#include "mutants.cuh"

namespace {

using namespace every_shape;

using Twelve = Tile<128, 384, 2, 1, 192>;

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"boxes", "", by_few<Twelve, Rasterization::kHilbert, 1>},
                 {"permuted", "", by_few<Immediate<Direct<Twelve>>, Rasterization::kGroups, 1>}},
    .tma_operands = true,
});

}  // namespace

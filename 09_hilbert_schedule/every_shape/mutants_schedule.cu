// What no problem of these tests is large enough for: the last tiles of a grid of nearly 2^31, in
// one group of seven rows.

#include "mutants.cuh"

#include <core/error.hpp>

#include <limits>
#include <string>

namespace {

using namespace every_shape;

harness::Plan after_a_look(const gemm::Problem& problem) {
  constexpr int kRows = 7, kCols = std::numeric_limits<int>::max() / kRows;
  const TileSchedule schedule(kRows, kCols, Rasterization::kGroups, kRows, nullptr);
  const TileCoord last = schedule.coord(schedule.tiles() - 1);
  if (last.row != kRows - 1 || last.col != kCols - 1) {
    throw core::DeviceError("WRONG: the last tile lies at (" + std::to_string(last.row) + ", " +
                            std::to_string(last.col) + ")");
  }
  return by_few<Two, Rasterization::kSnake, 2>(problem);
}

const harness::Registration registration({
    .name = kName,
    .ceiling = harness::Ceiling::kWgmma,
    .variants = {{"schedule", "", after_a_look}},
    .tma_operands = true,
});

}  // namespace

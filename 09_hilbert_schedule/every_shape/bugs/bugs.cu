// Two blocks for all tiles of C, so that one tile's results are on their way while the next is
// multiplied. Launches may overlap: who does not wait is named.
#include "../plan.cuh"

#include <core/error.hpp>

#include <algorithm>
#include <limits>

using namespace every_shape;
using Two = Tile<128, 128, 3, 2>;  // subtiles of each consumer: 2

// The last of nearly 2^31 tiles, in one group of seven rows: no problem of these tests has as many.
void look_at_the_last_tile() {
  constexpr int kRows = 7, kCols = std::numeric_limits<int>::max() / kRows;
  const TileSchedule schedule(kRows, kCols, Rasterization::kGroups, kRows);
  const TileCoord last = schedule.coord(schedule.tiles() - 1);
  if (last.row == kRows - 1 && last.col == kCols - 1) return;
  throw core::DeviceError("the last tile lies elsewhere");
}

template <class Choice>
harness::Plan by_two_blocks(const gemm::Problem& problem) {
  auto plan = prepare<core::bf16, Config<Choice>>(gemm::typed_operands<core::bf16>(problem),
                                                  LaunchPolicy{.programmatic = true});
  plan.assign_to(std::min(plan.params.schedule.tiles(), 2));
  return plan;
}

harness::Plan plan(const gemm::Problem& problem) {
  look_at_the_last_tile();
  const bool ends_in_a_group = problem.n % 8 == 0 && problem.n % 32 != 0;  // of permuted rows
  if (can_store_wide(problem) && ends_in_a_group) return by_two_blocks<Direct<Two>>(problem);
  if (can_store_wide(problem)) return by_two_blocks<Two>(problem);
  return by_two_blocks<PlainRows<Direct<Two>>>(problem);
}

const harness::Chapter chapter{.name = kName,
                               .ceiling = harness::Ceiling::kWgmma,
                               .variants = {{"two", "", plan}},
                               .tma_operands = true};

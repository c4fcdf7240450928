#pragma once
// What planted bugs are shown in: one or two blocks (or clusters) for all tiles of C, so that one
// tile's results are on their way while the next is multiplied, and groups of two rows of tiles, so
// that there are several. Launches may overlap: who does not wait is named.

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>

namespace every_shape {

using Two = Tile<128, 128, 3, 2>;  // subtiles of each consumer: 2

template <class Choice>
harness::Plan by_few(const gemm::Problem& problem, Rasterization rasterization, unsigned clusters) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const LaunchPolicy policy{
        .rasterization = rasterization, .group_rows = 2, .programmatic = true};
    auto plan = prepare<T, Config<Choice>>(gemm::typed_operands<T>(problem), policy);
    TileSchedule& schedule = plan.params.schedule;  // also where the device would do all at once
    schedule = TileSchedule(schedule.tiles_m, schedule.tiles_n, rasterization, 2, schedule.list);
    plan.deal_to(std::min(static_cast<unsigned>(schedule.tiles()), clusters));
    return plan;
  });
}

template <class Choice, Rasterization kRasterization, unsigned kWorkers>
harness::Plan by_few(const gemm::Problem& problem) {
  const bool permuted = Choice::kRows == Rows::kPermuted;
  const bool possible = permuted ? can_permute(problem) : can_store_boxes(problem);
  if (possible) return by_few<Choice>(problem, kRasterization, kWorkers);
  return by_few<PlainRows<Direct<Two>>>(problem, kRasterization, kWorkers);
}

}  // namespace every_shape

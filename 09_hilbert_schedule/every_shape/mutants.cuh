#pragma once
// What planted bugs are shown in: one or two blocks (or clusters) for all tiles of C, so that one
// tile's results are on their way while the next is multiplied, and groups of two rows of tiles, so
// that there are several. Launches may overlap: who does not wait is named.

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>

namespace hilbert_schedule {

using Two = Tiles<128, 128, 3, 2>;  // parts for each consumer: 2
struct Any : Ways<> {
  static constexpr Store kStore = Store::kDirect;
};

template <class C>
harness::Plan by_few(const gemm::Problem& problem, Order order, unsigned workers) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    const Route route{.order = order, .group_rows = 2, .overlapped = true};
    auto plan = prepare<T, C>(operands<T>(problem), route);
    TileSchedule& schedule = plan.work.schedule;  // also where the device would do all at once
    schedule = TileSchedule(schedule.tiles_m, schedule.tiles_n, order, 2, schedule.list);
    plan.deal_to(std::min(static_cast<unsigned>(schedule.tiles()), workers));
    return plan;
  });
}

template <class C, Order kOrder, unsigned kWorkers>
harness::Plan by_few(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  gemm::require_plain(problem, kName);
  const bool possible = C::kRows == Rows::kDealt ? can_deal(problem) : can_store_boxes(problem);
  if (possible) return by_few<C>(problem, kOrder, kWorkers);
  return by_few<Config<Two, Any>>(problem, kOrder, kWorkers);
}

}  // namespace hilbert_schedule

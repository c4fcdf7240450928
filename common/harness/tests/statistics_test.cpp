#include <test/catch.hpp>

#include <harness/statistics.hpp>

#include <algorithm>
#include <numeric>

namespace {

using harness::Estimate;
using harness::estimate;

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

}  // namespace

TEST_CASE("the interval's ends are the order statistics that tables give for 95%") {
  // n, lower rank: from tables of the sign test's confidence interval for a median.
  const std::vector<std::pair<int, int>> ranks = {{1, 1},  {5, 1},   {6, 1},   {8, 1},
                                                  {9, 2},  {12, 3},  {15, 4},  {20, 6},
                                                  {25, 8}, {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : ranks) {
    CAPTURE(n);
    const Estimate e = estimate(one_to(n));
    CHECK(e.lo == rank);
    CHECK(e.hi == n + 1 - rank);
  }
}

TEST_CASE("a round is a permutation, and positions are shared out evenly") {
  for (const int count : {1, 2, 3, 7, 11}) {
    std::vector<int> first(static_cast<std::size_t>(count)), last(first);
    for (int round = 0; round < 2 * count; ++round) {
      const auto order = harness::round_order(count, round);
      std::vector<int> sorted = order;
      std::sort(sorted.begin(), sorted.end());
      for (int i = 0; i < count; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
      ++first[static_cast<std::size_t>(order.front())];
      ++last[static_cast<std::size_t>(order.back())];
    }
    for (int i = 0; i < count; ++i) {
      CHECK(first[static_cast<std::size_t>(i)] == 2);
      CHECK(last[static_cast<std::size_t>(i)] == 2);
    }
  }
  CHECK(harness::round_order(0, 3).empty());
}

TEST_CASE("slow kernels take part in fewer rounds, spread over all of them") {
  CHECK(harness::affordable_rounds(15, 66, 6000) == 15);
  CHECK(harness::affordable_rounds(15, 600, 6000) == 10);
  CHECK(harness::affordable_rounds(15, 2000, 6000) == 3);
  CHECK(harness::affordable_rounds(15, 5000, 6000) == 3);
  CHECK(harness::affordable_rounds(2, 5000, 6000) == 2);
  std::vector<std::vector<int>> rounds(2);
  for (const harness::Turn& turn : harness::turns({1, 600}, 6, 2000)) {
    rounds[static_cast<std::size_t>(turn.kernel)].push_back(turn.round);
  }
  CHECK(rounds[0] == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(rounds[1] == std::vector<int>{1, 3, 5});
}

// Chapter 09's orders of tiles: curves, groups, snakes, and the division that finds a tile.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "hilbert.hpp"
#include "schedule.cuh"

#include <test/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace hilbert_schedule;

namespace {

using Cell = std::pair<int, int>;

std::vector<Cell> curve(int rows, int cols) {
  std::vector<Cell> out;
  for (const TilePosition at : hilbert_curve<TilePosition>(rows, cols)) {
    out.emplace_back(at.row, at.col);
  }
  return out;
}

// What is wrong with the curve through this grid; empty when nothing is.
std::string complaint(int rows, int cols) {
  const std::vector<Cell> cells = curve(rows, cols);
  if (cells.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)) {
    return std::to_string(cells.size()) + " cells";
  }
  std::vector<bool> seen(cells.size());
  int diagonal = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [row, col] = cells[i];
    const std::string here = "(" + std::to_string(row) + ", " + std::to_string(col) + ")";
    if (row < 0 || row >= rows || col < 0 || col >= cols) return here + " lies outside";
    auto cell = seen[static_cast<std::size_t>(row * cols + col)];
    if (cell) return here + " comes twice";
    cell = true;
    if (i == 0) continue;
    const int down = std::abs(row - cells[i - 1].first),
              right = std::abs(col - cells[i - 1].second);
    if (std::max(down, right) != 1) return here + " is no neighbour of the cell before";
    diagonal += down + right - 1;
  }
  const int allowed = std::max(rows, cols) % 2;
  if (diagonal > allowed) return std::to_string(diagonal) + " diagonal steps";
  return cells.front() == Cell{0, 0} ? "" : "does not start in the corner";
}

}  // namespace

TEST_CASE("09: a Hilbert curve visits every cell once, and the next one is beside it") {
  for (int rows = 1; rows <= 40; ++rows) {
    for (int cols = 1; cols <= 40; ++cols) {
      CAPTURE(rows, cols);
      CHECK(complaint(rows, cols).empty());
    }
  }
  for (const auto& [rows, cols] : {Cell{128, 64}, Cell{127, 129}, Cell{1, 5000}, Cell{5000, 1},
                                   Cell{2, 1001}, Cell{3, 700}, Cell{257, 12}, Cell{333, 222}}) {
    CAPTURE(rows, cols);
    CHECK(complaint(rows, cols).empty());
  }
}

TEST_CASE("09: a Hilbert curve of nothing, and one of four by four") {
  CHECK(curve(0, 0).empty());
  CHECK(curve(0, 7).empty());
  CHECK(curve(7, 0).empty());
  CHECK(curve(-1, 3).empty());
  CHECK(curve(1, 1) == std::vector<Cell>{{0, 0}});
  const int numbers[4][4] = {{0, 3, 4, 5}, {1, 2, 7, 6}, {14, 13, 8, 9}, {15, 12, 11, 10}};
  const std::vector<Cell> cells = curve(4, 4);
  for (int i = 0; i < 16; ++i) {
    const auto [row, col] = cells[static_cast<std::size_t>(i)];
    CHECK(numbers[row][col] == i);
  }
}

namespace {

constexpr Order kOrders[] = {Order::kRows, Order::kColumns, Order::kGroups, Order::kSnake,
                             Order::kHilbert};

// A schedule, and the list that it may point to.
struct Listed {
  std::vector<TilePosition> list;
  TileSchedule schedule;

  Listed(int tiles_m, int tiles_n, Order order, int group_rows)
      : list(hilbert_curve<TilePosition>(tiles_m, tiles_n)),
        schedule(tiles_m, tiles_n, order, group_rows, list.data()) {}
};

std::vector<Cell> tiles_in_order(int tiles_m, int tiles_n, Order order, int group_rows) {
  const Listed listed(tiles_m, tiles_n, order, group_rows);
  std::vector<Cell> out;
  for (int tile = 0; tile < tiles_m * tiles_n; ++tile) {
    const TilePosition at = listed.schedule.position(tile);
    out.emplace_back(at.row, at.col);
  }
  return out;
}

}  // namespace

TEST_CASE("09: every order gives each tile to one worker") {
  for (const auto& [tiles_m, tiles_n] :
       {Cell{1, 1}, Cell{2, 5}, Cell{5, 2}, Cell{9, 4}, Cell{21, 5}, Cell{3, 140}}) {
    const auto total = static_cast<std::size_t>(tiles_m * tiles_n);
    for (const Order order : kOrders) {
      for (const int group_rows : {1, 4, 8}) {  // a last group may be lower, or the only one
        const Listed listed(tiles_m, tiles_n, order, group_rows);
        for (const int workers : {1, 3, 7, 132}) {  // the last: more than there are tiles
          CAPTURE(tiles_m, tiles_n, static_cast<int>(order), group_rows, workers);
          std::vector<Cell> cells;
          for (int worker = 0; worker < workers; ++worker) {
            const auto range = listed.schedule.of(worker, workers);
            for (int tile = range.first; tile < range.end; tile += range.step) {
              const TilePosition at = listed.schedule.position(tile);
              cells.emplace_back(at.row, at.col);
            }
          }
          CHECK(cells.size() == total);
          CHECK(std::set<Cell>(cells.begin(), cells.end()).size() == total);
          CHECK(std::all_of(cells.begin(), cells.end(), [&](const Cell& at) {
            return at.first >= 0 && at.first < tiles_m && at.second >= 0 && at.second < tiles_n;
          }));
        }
      }
    }
  }
}

TEST_CASE("09: three rows of three tiles in groups of two rows") {
  using Cells = std::vector<Cell>;
  CHECK(tiles_in_order(3, 3, Order::kRows, 2) ==
        Cells{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}});
  CHECK(tiles_in_order(2, 3, Order::kColumns, 2) ==
        Cells{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}});
  CHECK(tiles_in_order(3, 3, Order::kGroups, 2) ==
        Cells{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 1}, {2, 2}});
  CHECK(tiles_in_order(3, 3, Order::kSnake, 2) ==
        Cells{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}, {2, 1}, {2, 0}});
}

TEST_CASE("09: a snake goes on in the columns where the group before ended") {
  for (const auto& [tiles_m, tiles_n] : {Cell{9, 4}, Cell{17, 5}, Cell{12, 1}, Cell{6, 2}}) {
    for (const int group_rows : {1, 2, 4}) {
      CAPTURE(tiles_m, tiles_n, group_rows);
      const auto snake = tiles_in_order(tiles_m, tiles_n, Order::kSnake, group_rows);
      const auto groups = tiles_in_order(tiles_m, tiles_n, Order::kGroups, group_rows);
      for (std::size_t i = 0; i < snake.size(); ++i) {
        CHECK(snake[i].first == groups[i].first);
        if (i == 0) continue;
        const bool same_group = snake[i].first / group_rows == snake[i - 1].first / group_rows;
        const int step = std::abs(snake[i].second - snake[i - 1].second);
        CHECK(step <= (same_group ? 1 : 0));
      }
    }
  }
}

TEST_CASE("09: what 132 workers want at one time, 128 x 64 tiles of 128 x 256") {
  // Rows of A and of B, over all rounds of tiles.
  const auto wanted = [](Order order) {
    const auto tiles = tiles_in_order(128, 64, order, 16);
    std::size_t out = 0;
    for (std::size_t first = 0; first < tiles.size(); first += 132) {
      std::set<int> rows, cols;
      for (std::size_t i = first; i < std::min(first + 132, tiles.size()); ++i) {
        rows.insert(tiles[i].first), cols.insert(tiles[i].second);
      }
      out += rows.size() * 128 + cols.size() * 256;
    }
    return out;
  };
  CHECK(wanted(Order::kRows) == 1041792);
  CHECK(wanted(Order::kGroups) == 283904);
  CHECK(wanted(Order::kSnake) == 279040);
  CHECK(wanted(Order::kHilbert) == 338944);
}

TEST_CASE("09: a multiplication divides") {
  constexpr int kMost = std::numeric_limits<int>::max();
  std::vector<int> values = {1, 2, 3, 5, 6, 7, 9, 10, 11, 641, 1000, 65535, 65537, 16769023};
  for (int bit = 2; bit < 31; ++bit) {
    for (const int near : {-1, 0, 1}) values.push_back((1 << bit) + near);
  }
  for (const int near : {0, 1, 2}) values.push_back(kMost - near);
  for (const int value : values) {
    const Divisor by(value);
    CAPTURE(value);
    bool right = true;
    const auto check = [&](std::int64_t n) {
      if (n >= 0 && n <= kMost) right = right && by.divide(static_cast<int>(n)) == n / value;
    };
    // Where the quotient goes up, near 0, near 2^31, and in between.
    const std::int64_t multiples = kMost / value;
    for (std::int64_t i = 0; i <= 1000; ++i) {
      for (const std::int64_t times : {i, multiples - i, multiples / 1000 * i}) {
        for (const int near : {-1, 0, 1}) check(times * value + near);
      }
      check(i), check(kMost - i);
    }
    CHECK(right);
  }
  CHECK(Divisor().divide(kMost) == kMost);
}

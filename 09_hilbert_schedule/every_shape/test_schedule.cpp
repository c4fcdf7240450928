// Rasterization: rows, columns, groups, snakes, and the division that finds a tile.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "schedule.cuh"
#include "stream_k.cuh"

#include <test/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace every_shape;
using enum Rasterization;

using Cell = TileCoord;

namespace {

std::vector<Cell> tiles_in_order(int tiles_m, int tiles_n, Rasterization order, int group_rows) {
  const TileSchedule schedule(tiles_m, tiles_n, order, group_rows);
  std::vector<Cell> out;
  for (int tile = 0; tile < tiles_m * tiles_n; ++tile) out.push_back(schedule.coord(tile));
  return out;
}

}  // namespace

TEST_CASE("every_shape: every order gives each tile to one cluster") {
  for (const auto& [tiles_m, tiles_n] :
       {Cell{1, 1}, Cell{2, 5}, Cell{5, 2}, Cell{9, 4}, Cell{21, 5}, Cell{3, 140}}) {
    const auto total = static_cast<std::size_t>(tiles_m * tiles_n);
    for (const Rasterization order : {kRows, kColumns, kGroups, kSnake}) {
      for (const int group_rows : {1, 4, 8}) {  // a last group may be lower, or the only one
        const TileSchedule schedule(tiles_m, tiles_n, order, group_rows);
        for (const int clusters : {1, 3, 7, 132}) {  // the last: more than there are tiles
          CAPTURE(tiles_m, tiles_n, static_cast<int>(order), group_rows, clusters);
          std::vector<Cell> cells;
          for (int cluster = 0; cluster < clusters; ++cluster) {
            const auto range = schedule.of(cluster, clusters);
            for (int tile = range.first; tile < range.end; tile += range.step) {
              cells.push_back(schedule.coord(tile));
            }
          }
          CHECK(cells.size() == total);
          CHECK(std::set<Cell>(cells.begin(), cells.end()).size() == total);
          CHECK(std::all_of(cells.begin(), cells.end(), [&](const Cell& at) {
            return at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n;
          }));
        }
      }
    }
  }
}

TEST_CASE("every_shape: three rows of three tiles in groups of two rows") {
  using Cells = std::vector<Cell>;
  CHECK(tiles_in_order(3, 3, kRows, 2) ==
        Cells{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}});
  CHECK(tiles_in_order(2, 3, kColumns, 2) == Cells{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}});
  CHECK(tiles_in_order(3, 3, kGroups, 2) ==
        Cells{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}, {2, 1}, {2, 2}});
  CHECK(tiles_in_order(3, 3, kSnake, 2) ==
        Cells{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}, {2, 1}, {2, 0}});
}

TEST_CASE("every_shape: a snake goes on in the columns where the group before ended") {
  for (const auto& [tiles_m, tiles_n] : {Cell{9, 4}, Cell{17, 5}, Cell{12, 1}, Cell{6, 2}}) {
    for (const int group_rows : {1, 2, 4}) {
      CAPTURE(tiles_m, tiles_n, group_rows);
      const auto snake = tiles_in_order(tiles_m, tiles_n, kSnake, group_rows);
      const auto groups = tiles_in_order(tiles_m, tiles_n, kGroups, group_rows);
      for (std::size_t i = 0; i < snake.size(); ++i) {
        CHECK(snake[i].row == groups[i].row);
        if (i == 0) continue;
        const bool same_group = snake[i].row / group_rows == snake[i - 1].row / group_rows;
        const int step = std::abs(snake[i].col - snake[i - 1].col);
        CHECK(step <= (same_group ? 1 : 0));
      }
    }
  }
}

namespace {

constexpr int kMost = std::numeric_limits<int>::max();

// Does Divisor(value) divide all that the schedule may ask for? factor / 2^shift exceeds 1 / value,
// so it is first wrong, if ever, for a number one below a multiple of value; and the larger the
// number, the larger the error. The largest one decides.
bool divides_all(int value) {
  const Divisor by(value);
  const std::int64_t numbers = std::int64_t{kMost} + 1;
  const std::int64_t largest = numbers / value * value - 1;
  for (const std::int64_t n : {largest - value, largest, largest + 1, numbers - 1}) {
    if (n >= 0 && n < numbers && by.divide(static_cast<int>(n)) != n / value) return false;
  }
  const std::uint64_t one = std::uint64_t{1} << by.shift;
  const std::uint64_t product = std::uint64_t{by.factor} * static_cast<std::uint64_t>(value);
  return product >= one && (product - one) * static_cast<std::uint64_t>(largest) < one;
}

}  // namespace

TEST_CASE("every_shape: clusters share out every k-tile once, and wait for lower numbers alone") {
  int by_parts = 0, by_helpers = 0;
  for (const int tiles : {0, 1, 3, 7, 12, 13, 30, 75, 100, 140, 210}) {
    for (const int k_tiles : {0, 1, 5, 16, 171}) {
      for (const int most : {1, 2, 5, 12, 132}) {
        CAPTURE(tiles, k_tiles, most);
        const StreamKShares shares(tiles, k_tiles, most);
        REQUIRE(shares.clusters <= most);
        (shares.helpers > 0 ? by_helpers : by_parts) += shares.rest > 0;
        std::map<int, int> first_parts;             // cluster, by tile
        std::map<std::pair<int, int>, int> others;  // cluster, by tile and part
        std::vector<int> computed(static_cast<std::size_t>(tiles * k_tiles));
        std::vector<int> own(static_cast<std::size_t>(shares.clusters));
        for (int cluster = 0; cluster < shares.clusters; ++cluster) {
          for (Work<true> work({cluster, tiles, shares.clusters}, k_tiles, shares, cluster);
               !work.done(); work.advance()) {
            CHECK((work.part < 0) == (work.tile < shares.whole));
            CHECK((work.first == 0) == (work.part <= 0 || k_tiles == 0));
            if (work.part > 0) others[{work.tile, work.part}] = cluster;
            if (work.part == 0) first_parts[work.tile] = cluster;
            for (int k = work.first; k < work.first + work.count; ++k) {
              ++computed.at(static_cast<std::size_t>(work.tile * k_tiles + k));
            }
            own[static_cast<std::size_t>(cluster)] += work.count;
          }
        }
        CHECK(std::count(computed.begin(), computed.end(), 1) == tiles * k_tiles);
        CHECK(static_cast<int>(others.size()) == shares.rest * (shares.parts - 1));
        for (const auto& [part, cluster] : others) {
          CHECK(cluster < first_parts.at(part.first));
        }
        // Nobody has more to do than without shares, and with them less.
        const int waves = (tiles + most - 1) / most;
        if (shares.clusters == 0) continue;
        const int longest = *std::max_element(own.begin(), own.end());
        CHECK(longest <= waves * k_tiles);
        if (shares.rest > 0) CHECK(longest <= (waves - 1) * k_tiles + (4 * k_tiles + 4) / 5);
      }
    }
  }
  CHECK(by_parts > 10);
  CHECK(by_helpers > 3);
}

TEST_CASE("every_shape: a multiplication divides") {
  std::vector<int> wrong;
  const auto check = [&](int value) {
    if (!divides_all(value)) wrong.push_back(value);
  };
  for (int value = 1; value < 70000; ++value) check(value);
  for (int bit = 2; bit < 31; ++bit) {
    for (const int near : {-1, 0, 1}) check((1 << bit) + near);
  }
  for (const int near : {0, 1, 2}) check(kMost - near);
  CHECK(wrong == std::vector<int>{});
  CHECK(Divisor().divide(kMost) == kMost);
}

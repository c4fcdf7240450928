// Chapter 09's plans: the orders of tiles, how many blocks, and what TMA can store.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "orders/orders.hpp"
#include "plan.cuh"

#include <test/catch.hpp>
#include <test/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace hilbert_schedule;

namespace {

using Cell = std::pair<int, int>;

std::vector<Cell> cells_of(const std::vector<TileCoord>& tiles) {
  std::vector<Cell> out;
  for (const TileCoord& at : tiles) out.emplace_back(at.row, at.col);
  return out;
}
std::vector<Cell> ordered_cells(Order order, int tiles_m, int tiles_n) {
  return cells_of(ordered_tiles(order, tiles_m, tiles_n));
}

// What is wrong with the curve through this grid; empty when nothing is.
std::string complaint(int rows, int cols) {
  const std::vector<Cell> cells = cells_of(hilbert_curve(rows, cols));
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
  for (const auto& [rows, cols] : {Cell{0, 0}, Cell{0, 7}, Cell{7, 0}, Cell{-1, 3}}) {
    CHECK(hilbert_curve(rows, cols).empty());
  }
  const int numbers[4][4] = {{0, 3, 4, 5}, {1, 2, 7, 6}, {14, 13, 8, 9}, {15, 12, 11, 10}};
  const std::vector<Cell> cells = cells_of(hilbert_curve(4, 4));
  for (int i = 0; i < 16; ++i) {
    const auto [row, col] = cells[static_cast<std::size_t>(i)];
    CHECK(numbers[row][col] == i);
  }
}

TEST_CASE("09: row by row, and as a snake in groups of 16 rows") {
  CHECK(ordered_cells(Order::kRowMajor, 2, 3) ==
        std::vector<Cell>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(ordered_cells(Order::kSnake, 2, 3) ==
        std::vector<Cell>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}});
  // Down each column of a group; the next group begins in the column where this one ended.
  for (const auto& [tiles_m, tiles_n] : {Cell{17, 5}, Cell{40, 4}, Cell{33, 1}}) {
    CAPTURE(tiles_m, tiles_n);
    const std::vector<Cell> cells = ordered_cells(Order::kSnake, tiles_m, tiles_n);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const auto [row, col] = cells[i];
      const auto [row_before, col_before] = cells[i - 1];
      if (row / 16 != row_before / 16) {
        CHECK((row == row_before + 1 && col == col_before));
      } else if (col == col_before) {
        CHECK(row == row_before + 1);
      } else {
        CHECK(row == row / 16 * 16);
        CHECK(col - col_before == (row / 16 % 2 == 0 ? 1 : -1));
      }
    }
  }
}

TEST_CASE("09: super-tiles, and the cut Hilbert curve assigned to blocks, hold every tile once") {
  for (const auto& [rows, cols] : {Cell{32, 16}, Cell{64, 32}, Cell{21, 9}, Cell{1, 40}, Cell{5, 1},
                                   Cell{1, 1}, Cell{33, 17}, Cell{16, 8}}) {
    CAPTURE(rows, cols);
    const std::vector<Cell> every = ordered_cells(Order::kRowMajor, rows, cols);
    const auto sorted = [](std::vector<Cell> cells) {
      std::sort(cells.begin(), cells.end());
      return cells;
    };
    CHECK(sorted(cells_of(super_tiles(rows, cols, 16, 8))) == sorted(every));
    const auto curve = cut_hilbert_curve(rows, cols);
    CHECK(sorted(cells_of(curve)) == sorted(every));
    for (const auto& [blocks, first] : {Cell{132, 128}, Cell{66, 64}, Cell{5, 3}, Cell{7, 7}}) {
      CAPTURE(blocks, first);
      std::vector<Cell> all;
      std::set<std::size_t> counts;
      for (const auto& mine : assign(curve, blocks, first)) {
        for (const Cell& cell : cells_of(mine)) all.push_back(cell);
        counts.insert(mine.size());
      }
      CHECK(sorted(all) == sorted(every));
      CHECK(*counts.rbegin() - *counts.begin() <= 1);
    }
  }
  // A super-tile is whole before the next begins, and the curve of a square has no jumps.
  const std::vector<Cell> super = cells_of(super_tiles(32, 16, 16, 8));
  for (std::size_t i = 0; i < super.size(); ++i) {
    const auto [row, col] = super[i];
    CHECK(static_cast<int>(i) / 128 == row / 16 * 2 + col / 8);
    CHECK(static_cast<int>(i) % 128 == row % 16 * 8 + col % 8);
  }
  for (int i = 1; i < 64 * 64; ++i) {
    const TileCoord a = hilbert_cell(64, i - 1), b = hilbert_cell(64, i);
    REQUIRE(std::abs(a.row - b.row) + std::abs(a.col - b.col) == 1);
  }
}

TEST_CASE("09: whole waves of blocks, in multiples of 8 where that costs next to nothing") {
  CHECK(persistent_blocks(8192, 132) == 128);  // 64 waves instead of 63
  CHECK(persistent_blocks(2048, 132) == 128);  // 16 either way
  CHECK(persistent_blocks(133, 132) == 67);    // 64 would take three waves instead of two
  CHECK(persistent_blocks(132, 132) == 132);
  CHECK(persistent_blocks(5, 132) == 5);
  CHECK(persistent_blocks(0, 132) == 0);
  CHECK(persistent_blocks(5, 0) > 0);  // whatever the device says
  for (const unsigned most : {1u, 7u, 66u, 132u}) {
    for (unsigned tiles = 1; tiles < 10000; tiles += 1 + tiles / 100) {
      CAPTURE(tiles, most);
      const unsigned blocks = persistent_blocks(tiles, static_cast<int>(most));
      REQUIRE((blocks > 0 && blocks <= std::min(tiles, most)));
      const auto waves = [&](unsigned of) { return (tiles + of - 1) / of; };
      const unsigned fewest = waves(most), fewer = blocks / 8 * 8;
      CHECK(waves(blocks) <= fewest + fewest / 32);
      if (blocks == fewer) continue;
      CHECK(waves(blocks) == fewest);
      CHECK((blocks == 1 || waves(blocks - 1) > fewest));
      CHECK((fewer == 0 || waves(fewer) > fewest + fewest / 32));
    }
  }
}

TEST_CASE("09: what TMA can store") {
  const auto can = [](std::int64_t n, std::int64_t ldc, std::uintptr_t address) {
    gemm::Problem problem = gemm::packed_problem(64, n, 64, gemm::DataType::kBf16);
    problem.ldc = ldc;
    problem.c = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    return can_store_by_tma(problem);
  };
  CHECK(can(72, 72, 0x1000));
  CHECK(can(72, 80, 0x1010));
  CHECK_FALSE(can(75, 80, 0x1000));
  CHECK_FALSE(can(72, 76, 0x1000));
  CHECK_FALSE(can(72, 72, 0x1008));
  CHECK_FALSE(can(72, std::int64_t{1} << 39, 0x1000));
}

TEST_CASE("09: tiles are listed where TMA stores them") {
  const test::Trial trial(test::packed(300, 264, 64));
  const auto operands = gemm::typed_operands<core::bf16>(trial.problem());
  for (const Order order : {Order::kHilbert, Order::kSnake, Order::kRowMajor}) {
    const auto plan = prepare<core::bf16, Config<64, 128, 3, 1, Rows::kPlain, Store::kDeferred>>(
        operands, {.order = order, .reverse_k = order == Order::kSnake});
    REQUIRE(plan.schedule.order != nullptr);
    const std::vector<TileCoord> listed(plan.schedule.order,
                                        plan.schedule.order + plan.schedule.tiles());
    CHECK(cells_of(listed) == ordered_cells(order, 5, 3));
    CHECK(plan.schedule.reverse_k == (order == Order::kSnake));
  }
  const auto direct = prepare<core::bf16, Config<64, 128, 3, 1>>(operands);
  CHECK(direct.schedule.order == nullptr);
  gemm::Problem empty = trial.problem();
  empty.m = 0;
  const auto nothing = prepare<core::bf16, Config<64, 128, 3, 1, Rows::kPlain, Store::kDeferred>>(
      gemm::typed_operands<core::bf16>(empty));
  CHECK(nothing.schedule.order == nullptr);
  CHECK(nothing.shape.grid.x == 0);
}

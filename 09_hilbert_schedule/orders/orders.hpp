#pragma once
// Two more orders of tiles, on the host: what `--variant tile_orders` shows beside the kernel's
// own.

#include "../schedule.cuh"

#include <algorithm>
#include <utility>
#include <vector>

namespace hilbert_schedule {

// Super-tiles of `rows` x `cols` tiles one after the other, row by row, and the tiles of each row
// by row. At the edge of C they are cut off.
inline std::vector<TileCoord> super_tiles(int tiles_m, int tiles_n, int rows, int cols) {
  std::vector<TileCoord> tiles;
  for (int first_row = 0; first_row < tiles_m; first_row += rows) {
    for (int first_col = 0; first_col < tiles_n; first_col += cols) {
      for (int row = first_row; row < std::min(first_row + rows, tiles_m); ++row) {
        for (int col = first_col; col < std::min(first_col + cols, tiles_n); ++col) {
          tiles.push_back({row, col});
        }
      }
    }
  }
  return tiles;
}

// Cell number `index` of the Hilbert curve through a square of `side` x `side` cells, a power of
// two ("d2xy"). Two bits of the index, the lowest first, say in which quarter of a square twice as
// large the square so far lies; in two of the quarters the curve is turned over.
constexpr TileCoord hilbert_cell(int side, int index) {
  TileCoord at = {0, 0};
  for (int half = 1; half < side; half *= 2, index /= 4) {
    const int lower = index / 2 % 2, right = (index + lower) % 2;
    if (right == 0) {
      if (lower == 1) at = {half - 1 - at.row, half - 1 - at.col};
      at = {at.col, at.row};
    }
    at = {at.row + half * lower, at.col + half * right};
  }
  return at;
}

// The curve through the smallest such square that holds the grid, without the cells outside. Where
// it leaves the grid, two cells that follow each other need not touch.
inline std::vector<TileCoord> cut_hilbert_curve(int tiles_m, int tiles_n) {
  int side = 1;
  while (side < std::max(tiles_m, tiles_n)) side *= 2;
  std::vector<TileCoord> tiles;
  for (int i = 0; i < side * side; ++i) {
    const TileCoord at = hilbert_cell(side, i);
    if (at.row < tiles_m && at.col < tiles_n) tiles.push_back(at);
  }
  return tiles;
}

// The tiles of each of `blocks` blocks: assigned in turn to the `first` ones, so that what these
// compute at a time is a piece of the order. The others then get the last tiles of these, until no
// block has two tiles more than another.
inline std::vector<std::vector<TileCoord>> assign(const std::vector<TileCoord>& tiles, int blocks,
                                                  int first) {
  std::vector<std::vector<TileCoord>> assigned(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    assigned[i % static_cast<std::size_t>(first)].push_back(tiles[i]);
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  for (;;) {
    const auto [least, most] = std::minmax_element(assigned.begin(), assigned.end(), fewer);
    if (most->size() - least->size() < 2) return assigned;
    least->push_back(most->back());
    most->pop_back();
  }
}

}  // namespace hilbert_schedule

#pragma once
// A Hilbert curve through a grid of any size, on the host.

#include "schedule.cuh"

#include <cstdlib>
#include <vector>

namespace hilbert_schedule {

namespace detail {

constexpr int length(TileCoord side) {
  return std::abs(side.row) + std::abs(side.col);
}
// The side cut to `length`, in its direction.
constexpr TileCoord cut(TileCoord side, int to) {
  const int sign_row = (side.row > 0) - (side.row < 0), sign_col = (side.col > 0) - (side.col < 0);
  return {sign_row * to, sign_col * to};
}
constexpr TileCoord plus(TileCoord a, TileCoord b) {
  return {a.row + b.row, a.col + b.col};
}
constexpr TileCoord minus(TileCoord a, TileCoord b) {
  return {a.row - b.row, a.col - b.col};
}
// Half of a length; even where that can be had, so that the halves' curves end where the next
// begin.
constexpr int half(int length) {
  const int lower = length / 2;
  return lower % 2 != 0 && length > 2 ? lower + 1 : lower;
}

// Appends the cells of the rectangle at `corner` with sides `along` and `across`, one of them along
// the rows, the other along the columns: from the corner to the other end of `along`, or beside it
// where a side is odd.
inline void visit(TileCoord corner, TileCoord along, TileCoord across,
                  std::vector<TileCoord>& cells) {
  const int width = length(along), height = length(across);
  if (height == 1 || width == 1) {
    const TileCoord step = cut(height == 1 ? along : across, 1);
    for (int i = 0; i < width * height; ++i, corner = plus(corner, step)) cells.push_back(corner);
  } else if (2 * width > 3 * height) {  // long: two rectangles, one behind the other
    const TileCoord first = cut(along, half(width));
    visit(corner, first, across, cells);
    visit(plus(corner, first), minus(along, first), across, cells);
  } else {  // up, along, and down again
    const TileCoord near = cut(along, width / 2), low = cut(across, half(height));
    const TileCoord last = plus(minus(along, cut(along, 1)), minus(low, cut(low, 1)));
    visit(corner, low, near, cells);
    visit(plus(corner, low), along, minus(across, low), cells);
    visit(plus(corner, last), {-low.row, -low.col}, minus(near, along), cells);
  }
}

}  // namespace detail

// All cells of the grid, each once, each beside the one before it (one step may be diagonal where a
// side is odd).
inline std::vector<TileCoord> hilbert_curve(int rows, int cols) {
  std::vector<TileCoord> cells;
  if (rows <= 0 || cols <= 0) return cells;
  cells.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  if (rows >= cols) {
    detail::visit({0, 0}, {rows, 0}, {0, cols}, cells);
  } else {
    detail::visit({0, 0}, {0, cols}, {rows, 0}, cells);
  }
  return cells;
}

}  // namespace hilbert_schedule

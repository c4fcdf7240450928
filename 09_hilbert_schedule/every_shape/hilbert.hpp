#pragma once
// A Hilbert curve through a grid of any size, on the host.

#include <cstdlib>
#include <vector>

namespace every_shape {

struct GridStep {
  int row, col;
};

namespace detail {

constexpr int length(GridStep side) {
  return std::abs(side.row) + std::abs(side.col);
}
// The side cut to `length`, in its direction.
constexpr GridStep cut(GridStep side, int to) {
  const int sign_row = (side.row > 0) - (side.row < 0), sign_col = (side.col > 0) - (side.col < 0);
  return {sign_row * to, sign_col * to};
}
constexpr GridStep plus(GridStep a, GridStep b) {
  return {a.row + b.row, a.col + b.col};
}
constexpr GridStep minus(GridStep a, GridStep b) {
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
template <class Append>
void visit(GridStep corner, GridStep along, GridStep across, const Append& append) {
  const int width = length(along), height = length(across);
  if (height == 1 || width == 1) {
    const GridStep step = cut(height == 1 ? along : across, 1);
    for (int i = 0; i < width * height; ++i, corner = plus(corner, step)) append(corner);
  } else if (2 * width > 3 * height) {  // long: two rectangles, one behind the other
    const GridStep first = cut(along, half(width));
    visit(corner, first, across, append);
    visit(plus(corner, first), minus(along, first), across, append);
  } else {  // up, along, and down again
    const GridStep near = cut(along, width / 2), low = cut(across, half(height));
    const GridStep last = plus(minus(along, cut(along, 1)), minus(low, cut(low, 1)));
    visit(corner, low, near, append);
    visit(plus(corner, low), along, minus(across, low), append);
    visit(plus(corner, last), {-low.row, -low.col}, minus(near, along), append);
  }
}

}  // namespace detail

// All cells of the grid, each once, each beside the one before it (one step may be diagonal where a
// side is odd). Cell is {row, col}.
template <class Cell>
std::vector<Cell> hilbert_curve(int rows, int cols) {
  std::vector<Cell> cells;
  if (rows <= 0 || cols <= 0) return cells;
  cells.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  const auto append = [&](GridStep at) { cells.push_back({at.row, at.col}); };
  if (rows >= cols) {
    detail::visit({0, 0}, {rows, 0}, {0, cols}, append);
  } else {
    detail::visit({0, 0}, {0, cols}, {rows, 0}, append);
  }
  return cells;
}

}  // namespace every_shape

#pragma once
// Which tiles of C a cluster computes, and in which order.

#include "divisor.hpp"

#include <algorithm>
#include <compare>

namespace every_shape {

struct TileCoord {
  int row, col;
  auto operator<=>(const TileCoord&) const = default;
};

// The order of tiles. What the persistent blocks compute at one time is a stretch of it; the closer
// its tiles lie together, the fewer rows of A and B they read.
//   kRows     row by row
//   kColumns  column by column
//   kGroups   groups of rows, in each of them column by column from the left
//   kSnake    the same, every second group from the right: it begins with the columns that the
//             group before ended with
enum class Rasterization { kRows, kColumns, kGroups, kSnake };

// A grid of tiles_m x tiles_n tiles, each of them a whole cluster's. They go to the persistent
// clusters one by one: number `cluster` of `clusters` has `first`, then every `step`-th below
// `end`.
struct TileSchedule {
  int tiles_m = 0, tiles_n = 0;
  Rasterization rasterization = Rasterization::kRows;
  int group_rows = 1;           // kGroups, kSnake
  bool by_columns = false;      // in groups of columns: M and N, rows and columns are exchanged
  bool tile_from_grid = false;  // a block's place in the grid says which tile it has, its only one
  int last_group = 0;
  // How many tiles a group has, a column of it, and one of the last group, which may be lower.
  Divisor group, column, last_column;

  TileSchedule() = default;
  TileSchedule(int m, int n, Rasterization in, int rows, bool exchanged = false)
      : tiles_m(m), tiles_n(n), rasterization(in), group_rows(rows), by_columns(exchanged) {
    if (m == 0 || n == 0) return;
    // Row by row, column by column: in groups of one row, or of all.
    if (rasterization == Rasterization::kRows) group_rows = 1;
    if (rasterization == Rasterization::kColumns) group_rows = m;
    group_rows = std::clamp(group_rows, 1, m);
    last_group = (m - 1) / group_rows;
    group = Divisor(group_rows * n);
    column = Divisor(group_rows);
    last_column = Divisor(m - last_group * group_rows);
  }

  struct Range {
    int first, end, step;
  };
  __device__ int tiles() const { return tiles_m * tiles_n; }
  __device__ Range of(int cluster, int clusters) const { return {cluster, tiles(), clusters}; }

  __device__ TileCoord coord(int tile) const {
    const int number = group.divide(tile), in_group = tile - number * group.value;
    const Divisor& rows = number == last_group ? last_column : column;
    const int col = rows.divide(in_group), row = in_group - col * rows.value;
    const bool backwards = rasterization == Rasterization::kSnake && number % 2 != 0;
    return {number * group_rows + row, backwards ? tiles_n - 1 - col : col};
  }
};

}  // namespace every_shape

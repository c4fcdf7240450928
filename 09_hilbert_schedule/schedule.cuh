#pragma once
// Which tiles of C a cluster computes, and in which order.

#include <algorithm>
#include <cstdint>

namespace hilbert_schedule {

struct TilePosition {
  int row, col;
};

// In which order tiles are dealt out. What the workers compute at one time is a stretch of it; the
// closer its tiles lie together, the fewer rows of A and B they read.
//   kRows     row by row
//   kColumns  column by column
//   kGroups   groups of rows, in each of them column by column from the left
//   kSnake    the same, every second group from the right: it begins with the columns that the
//             group before ended with
//   kHilbert  along a Hilbert curve, which is listed
enum class Order { kRows, kColumns, kGroups, kSnake, kHilbert };

// A grid of tiles_m x tiles_n tiles, each of them a whole cluster's. They, or `parts` of each, part
// by part, are dealt out to the workers one by one: number `worker` of `workers` has `first`, then
// every `step`-th below `end`.
struct TileSchedule {
  int tiles_m, tiles_n;
  Order order;
  int group_rows;            // kGroups, kSnake
  const TilePosition* list;  // kHilbert: where each tile lies

  struct Range {
    int first, end, step;
  };
  __device__ int tiles() const { return tiles_m * tiles_n; }
  __device__ Range of(int worker, int workers, int parts = 1) const {
    return {worker, tiles() * parts, workers};
  }

  __device__ TilePosition position(int tile) const {
    if (order == Order::kHilbert) return list[tile];
    if (order == Order::kRows) return {tile / tiles_n, tile % tiles_n};
    if (order == Order::kColumns) return {tile % tiles_m, tile / tiles_m};
    const int per_group = group_rows * tiles_n;
    const int group = tile / per_group, in_group = tile % per_group;
    const int first_row = group * group_rows;
    const int rows = std::min(group_rows, tiles_m - first_row);
    const int row = first_row + in_group % rows, col = in_group / rows;
    const bool backwards = order == Order::kSnake && group % 2 != 0;
    return {row, backwards ? tiles_n - 1 - col : col};
  }
};

}  // namespace hilbert_schedule

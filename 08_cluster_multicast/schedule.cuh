#pragma once
// Which tiles of C a cluster computes, and in which order.

#include <algorithm>
#include <cstdint>

namespace cluster_multicast {

struct TilePosition {
  int row, col;
};

// A grid of tiles_m x tiles_n tiles, here each of them a whole cluster's. They are dealt out to the
// workers one by one: number `worker` of `workers` has `first`, then every `step`-th below `end`.
struct TileSchedule {
  int tiles_m, tiles_n;
  int group_rows;

  struct Range {
    int first, end, step;
  };
  __device__ Range of(int worker, int workers) const {
    return {worker, tiles_m * tiles_n, workers};
  }

  // Groups of rows, column by column within a group: workers that run at the same time share rows
  // of A and of B while these are in the L2.
  __device__ TilePosition position(int tile) const {
    const int per_group = group_rows * tiles_n;
    const int first_row = tile / per_group * group_rows;
    const int rows = std::min(group_rows, tiles_m - first_row);
    return {first_row + tile % per_group % rows, tile % per_group / rows};
  }
};

}  // namespace cluster_multicast

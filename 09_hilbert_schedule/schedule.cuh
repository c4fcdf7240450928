#pragma once
// Rasterization: which tile of C comes when.

#include <gpu/thread.hpp>

#include <algorithm>

namespace hilbert_schedule {

struct TileCoord {
  int row, col;
};

// Groups of kGroupRows rows of tiles, column by column within a group: blocks that run at the same
// time share rows of A and of B while these are in the L2.
template <int kGroupRows>
__device__ TileCoord tile_coord(int tile, int tiles_m, int tiles_n) {
  const int per_group = kGroupRows * tiles_n;
  const int first_row = tile / per_group * kGroupRows;
  const int rows = std::min(kGroupRows, tiles_m - first_row);
  return {first_row + tile % per_group % rows, tile % per_group / rows};
}

// Persistent blocks: each computes the tile of its own number, then every gridDim.x-th.
struct TileSchedule {
  int tiles_m, tiles_n;
  const TileCoord* order;  // the tiles in the order in which they come, where it is listed
  bool reverse_k;          // every second tile of a block from the end of K

  __device__ int tiles() const { return tiles_m * tiles_n; }
  __device__ TileCoord coord(int tile) const { return tile_coord<8>(tile, tiles_m, tiles_n); }
};

// The place of this block's tile when its cluster is at number `tile` of the schedule. At the edge
// of C it may lie outside: such a block brings its slices all the same, and stores nothing.
template <class Config>
__device__ TileCoord block_coord(const TileSchedule& schedule, int tile) {
  const TileCoord coord = Config::kListed ? schedule.order[tile] : schedule.coord(tile);
  const int rank = Config::Cluster::rank();
  return {coord.row * Config::CM + Config::Cluster::row(rank),
          coord.col * Config::CN + Config::Cluster::col(rank)};
}

}  // namespace hilbert_schedule

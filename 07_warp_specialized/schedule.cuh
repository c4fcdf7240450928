#pragma once
// Which tiles of C a block computes, and in which order.

#include <algorithm>
#include <cstdint>

namespace warp_specialized {

// kGrouped: the tiles in groups of rows, dealt out to the blocks one by one. kStatic: the tiles row
// by row, to each block a piece of the sequence, pieces differing by one tile at most.
enum class Order { kGrouped, kStatic };

struct TilePosition {
  int row, col;
};

// The tiles of the grid's block number `block`: `first`, then every `step`-th below `end`.
template <Order kOrder>
struct TileSchedule {
  static constexpr int kGroupRows = 8;
  int tiles_m, tiles_n;

  struct Range {
    int first, end, step;
  };
  __device__ Range of(int block, int blocks) const {
    const int tiles = tiles_m * tiles_n;
    if constexpr (kOrder == Order::kGrouped) return {block, tiles, blocks};
    const int share = tiles / blocks, more = tiles % blocks;  // the first `more` get one more
    const int first = block * share + std::min(block, more);
    return {first, first + share + (block < more ? 1 : 0), 1};
  }

  // Groups of kGroupRows rows, column by column within a group: blocks that run at the same time
  // share rows of A and of B while these are in the L2.
  __device__ TilePosition position(int tile) const {
    if constexpr (kOrder == Order::kStatic) return {tile / tiles_n, tile % tiles_n};
    const int per_group = kGroupRows * tiles_n;
    const int first_row = tile / per_group * kGroupRows;
    const int rows = std::min(+kGroupRows, tiles_m - first_row);
    return {first_row + tile % per_group % rows, tile % per_group / rows};
  }
};

}  // namespace warp_specialized

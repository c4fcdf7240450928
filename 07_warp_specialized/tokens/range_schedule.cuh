#pragma once
// Which tiles of C a block computes: one by one in turn, or a contiguous range.

#include "../schedule.cuh"

#include <algorithm>

namespace tokens {

// kGrouped: the lesson's, tiles in groups of rows, every gridDim.x-th to a block. kStatic: tiles
// row by row, to each block a piece of the sequence, pieces differing by one tile at most.
enum class Order { kGrouped, kStatic };

// The tiles of the grid's block number `block`: `first`, then every `step`-th below `end`.
template <Order kOrder>
struct RangeSchedule : warp_specialized::TileSchedule {
  struct Range {
    int first, end, step;
  };
  __device__ Range of(int block, int blocks) const {
    if constexpr (kOrder == Order::kGrouped) return {block, tiles(), blocks};
    const int each = tiles() / blocks, more = tiles() % blocks;  // the first `more` get one more
    const int first = block * each + std::min(block, more);
    return {first, first + each + (block < more ? 1 : 0), 1};
  }

  __device__ warp_specialized::TileCoord coord(int tile) const {
    if constexpr (kOrder == Order::kStatic) return {tile / tiles_n, tile % tiles_n};
    return TileSchedule::coord(tile);
  }
};

}  // namespace tokens

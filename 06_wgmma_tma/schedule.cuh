#pragma once
// Rasterization: which tile of C comes when.

#include <gpu/thread.hpp>

#include <algorithm>

namespace wgmma_tma {

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

}  // namespace wgmma_tma

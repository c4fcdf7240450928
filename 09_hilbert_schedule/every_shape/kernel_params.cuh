#pragma once
// What all roles of a block know: its parameters, its shared memory, its tiles.

#include "config.cuh"
#include "schedule.cuh"
#include "store_tma.cuh"
#include "stream_k.cuh"

#include <gpu/mbarrier.hpp>
#include <gpu/thread.hpp>

namespace every_shape {

// How long producers wait for each other (Pace).
struct LockStep {
  int k_tiles = 0;        // of a block, during which it waits: its first ones; 0: it never does
  unsigned arrivals = 0;  // of all blocks, after which the counter is 0 again
};

// What a block does, and in which order.
struct KernelParams {
  TileSchedule schedule;
  int k_tiles;
  LastBox last_a, last_b;  // of A and B
  bool reverse_k;          // every second tile from the end of K
  int prefetch_k_tiles;    // to bring to the L2 while the kernel before is still at work
  StreamKShares shares;    // kStreamK
  LockStep lock_step;      // kMayLockStep
  StreamKWorkspace workspace;
};

// Split-K: what other blocks send of the sums that this block has, part after part, in the order in
// which threads hold them; and whether all of it has come.
template <class Config, bool kUsed = (Config::kSplitK > 1)>
struct PartialSums {};
template <class Config>
struct PartialSums<Config, true> {
  alignas(16) float sent[Config::kExchangedFloats];
  gpu::Mbarrier complete;
};

// Ping-pong: a consumer's turn, which comes when the other one has issued its last MMA of a tile.
template <class Config, bool kUsed = Config::kPingPong>
struct Turns {};
template <class Config>
struct Turns<Config, true> {
  gpu::Mbarrier of[2];
};

template <class T, class Config>
struct SharedStorage {
  struct Stage {  // swizzles repeat every 1024 bytes, and tiles begin where they do
    alignas(1024) T a[Config::TileA::kSize];  // (BM, BK)
    alignas(1024) T b[Config::TileB::kSize];  // (BN, BK)
  };
  Stage stage[Config::kStages];
  SmemC<T, Config> smem_c;
  // What the EpilogueOp reads of a column vector, for each consumer. Of C^T it has no need of it.
  static constexpr bool kColumns = !Config::kTransposed;
  alignas(16) T column[kColumns ? Config::kConsumers : 1][kColumns ? Config::BN : 1];
  PartialSums<Config> partial_sums;
  Turns<Config> turns;
  typename Config::Ring ring;
};

inline constexpr TileSchedule::Range kOneTile{0, 1, 1};
template <class Config>
__device__ TileCoord coord_from_grid(const TileSchedule& schedule) {
  const bool backwards = schedule.rasterization == Rasterization::kSnake && blockIdx.z % 2 != 0;
  const int row = static_cast<int>(blockIdx.x) / Config::kClusterSize;
  return {static_cast<int>(blockIdx.z) * schedule.group_rows + row,
          static_cast<int>(backwards ? gridDim.y - 1 - blockIdx.y : blockIdx.y)};
}

// Where this block's tile lies when its cluster is at `tile` of the schedule. At the edge of C it
// may lie outside: such a block loads its multicast slices all the same, and stores nothing.
template <class Config>
__device__ TileCoord block_coord(const TileSchedule& schedule, int tile) {
  if (kMayTakeTileFromGrid<Config> && schedule.tile_from_grid)
    return coord_from_grid<Config>(schedule);
  TileCoord coord = schedule.coord(tile);
  if (Config::kSharesOnlyA && schedule.by_columns) coord = {coord.col, coord.row};
  const int rank = Config::Cluster::rank();
  return {coord.row * Config::CM + Config::Cluster::row(rank),
          coord.col * Config::CN + Config::Cluster::col(rank)};
}

// What this block computes, of tiles with so many k-tiles. from_grid: the tile that its place in
// the grid says.
template <class Config>
__device__ Work<Config::kStreamK> block_work(const KernelParams& params, int k_tiles,
                                             bool from_grid) {
  const int cluster = static_cast<int>(blockIdx.x) / Config::kClusterSize;
  const int clusters = static_cast<int>(gridDim.x) / Config::kClusterSize;
  const auto tiles = from_grid ? kOneTile : params.schedule.of(cluster, clusters);
  Work<Config::kStreamK> work{tiles, k_tiles, params.shares, cluster};
  if constexpr (Config::kSplitK > 1) {
    const int part = Config::Cluster::part(Config::Cluster::rank());
    work.first = k_tiles * part / Config::kSplitK;
    work.count = k_tiles * (part + 1) / Config::kSplitK - work.first;
  }
  return work;
}
template <class Config>
__device__ Work<Config::kStreamK> block_work(const KernelParams& params) {
  const bool from_grid = kMayTakeTileFromGrid<Config> && params.schedule.tile_from_grid;
  return block_work<Config>(params, params.k_tiles, from_grid);
}

}  // namespace every_shape

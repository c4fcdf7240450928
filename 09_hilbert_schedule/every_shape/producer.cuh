#pragma once
// The producer: one thread of a block.

#include "kernel_params.cuh"

#include <gpu/global.hpp>
#include <gpu/grid.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>

#include <algorithm>

namespace every_shape {

// Bytes of A and B that arrive for a k-tile.
template <class T, class Config>
__device__ unsigned stage_bytes(const KernelParams& params, TileCoord coord) {
  const int elements = Config::TileA::loaded(coord.row * Config::BM, params.last_a) +
                       Config::TileB::loaded(coord.col * Config::BN, params.last_b);
  return static_cast<unsigned>(elements) * sizeof(T);
}

// Loads the whole first k-tile of a block of a cluster, without multicast. One thread, that which
// has initialised the barriers or one of its warp.
template <class T, class Config>
__device__ void load_first_k_tile(SharedStorage<T, Config>& smem,
                                  const typename Config::TileA::Map& map_a,
                                  const typename Config::TileB::Map& map_b,
                                  const KernelParams& params) {
  const auto work = block_work<Config>(params);
  if (work.done() || work.count == 0) return;
  const TileCoord coord = block_coord<Config>(params.schedule, work.tile);
  const int row = coord.row * Config::BM, col = coord.col * Config::BN;
  const int k = work.first * Config::BK;
  gpu::Mbarrier& full = smem.ring.arrive_and_expect_tx({}, stage_bytes<T, Config>(params, coord));
  gpu::wait_for_prior_grid();
  auto& stage = smem.stage[0];
  Config::TileA::load_alone(stage.a, map_a, params.last_a, row, k, full);
  Config::TileB::load_alone(stage.b, map_b, params.last_b, col, k, full);
}

// Keeps a block's producer in step with those of the others: what several blocks load is in the L2
// still when the last of them asks for it, and the SMs of a GPC ask at the same time. No result
// depends on it. Other blocks may not be running, so who has waited for long goes on alone.
template <int kPeriod>
class Pace {
 public:
  __device__ explicit Pace(const KernelParams& params)
      : counter_(static_cast<unsigned*>(params.workspace.memory)),
        left_(params.lock_step.k_tiles),
        last_arrival_(params.lock_step.arrivals - 1) {}
  // Before a k-tile is loaded.
  __device__ void next_k_tile() {
    constexpr int kMostPolls = 64;
    if (left_ == 0) return;
    if (left_ % kPeriod == 0) {
      int polls = 0;
      while (waits_ && due_ > 0 && gpu::load_relaxed(counter_) < due_)
        waits_ = ++polls < kMostPolls;
    }
    if (--left_ % kPeriod != 0) return;
    gpu::atomic_inc(counter_, last_arrival_);
    due_ += gridDim.x;
  }

 private:
  unsigned* counter_;
  int left_;
  unsigned last_arrival_, due_ = 0;
  bool waits_ = true;
};

// Fills stage after stage, its multicast slice of each, as long as the consumers empty them.
// kTileFromGrid: schedule.tile_from_grid, where the compiler knows it; that leaves little to do or
// to fetch before the first load.
template <class T, class Config, bool kTileFromGrid>
__device__ void load_tiles(SharedStorage<T, Config>& smem, const typename Config::TileA::Map& map_a,
                           const typename Config::TileB::Map& map_b, const KernelParams& params,
                           int k_tiles) {
  using Cluster = typename Config::Cluster;
  const int rank = Cluster::rank();
  typename Config::Ring::State state;
  Pace<kLockStepPeriod<Config>> pace(params);
  bool backwards = false;
  auto work = block_work<Config>(params, k_tiles, kTileFromGrid);
  int i = 0;
  if (Cluster::kMulticast && !work.done() && work.count > 0) ++i, ++state;  // load_first_k_tile
  for (; !work.done(); work.advance(), i = 0) {
    const TileCoord coord = kTileFromGrid ? coord_from_grid<Config>(params.schedule)
                                          : block_coord<Config>(params.schedule, work.tile);
    const int row = coord.row * Config::BM, col = coord.col * Config::BN;
    const unsigned bytes = stage_bytes<T, Config>(params, coord);
#pragma unroll 1  // less to fetch before the first load
    for (; i < work.count; ++i, ++state) {
      const int k = (work.first + (backwards ? work.count - 1 - i : i)) * Config::BK;
      smem.ring.wait_empty(state);
      gpu::Mbarrier& full = smem.ring.arrive_and_expect_tx(state, bytes);
      // Of a cluster load_first_k_tile() has waited. Others have nothing to wait for any more from
      // the second k-tile on.
      if constexpr (!Cluster::kMulticast) gpu::wait_for_prior_grid();
      if constexpr (kMayLockStep<Config>) pace.next_k_tile();
      auto& stage = smem.stage[state.index];
      Config::TileA::load(stage.a, map_a, params.last_a, row, k, full, Cluster::col(rank),
                          Cluster::row_mask(rank));
      Config::TileB::load(stage.b, map_b, params.last_b, col, k, full, Cluster::row(rank),
                          Cluster::col_mask(rank));
    }
    // What the persistent blocks read last is in the L2 still: their next tiles, in part of the
    // same rows or columns, begin with it.
    backwards = params.reverse_k && !backwards;
  }
  // A peer CTA's consumers arrive at this block's barriers: it stays until they have all done so.
  if constexpr (Cluster::kMulticast) {
    for (int i = 0; i < Config::kStages; ++i, ++state) smem.ring.wait_empty(state);
  }
}

// While the kernel before is still at work: has the L2 bring what the first k-tiles ask for, each
// row of A and B once. What that kernel has yet to write there, it writes in the L2. One thread.
template <class Config>
__device__ void prefetch_first_k_tiles(const typename Config::TileA::Map& map_a,
                                       const typename Config::TileB::Map& map_b,
                                       const KernelParams& params) {
  const auto work = block_work<Config>(params);
  if (work.done()) return;
  const TileCoord coord = block_coord<Config>(params.schedule, work.tile);
  const int row = coord.row * Config::BM, col = coord.col * Config::BN;
#pragma unroll 1
  for (int i = 0; i < std::min(params.prefetch_k_tiles, work.count); ++i) {
    const int k = (work.first + i) * Config::BK;
    if (col == 0) Config::TileA::prefetch(map_a, params.last_a, row, k, 0);
    if (row == 0) Config::TileB::prefetch(map_b, params.last_b, col, k, 0);
  }
}

}  // namespace every_shape

#pragma once
// Stream-K on the device: what a block computes, and how the parts of a tile come together.

#include "schedule.cuh"
#include "stream_k_shares.hpp"

#include <core/numeric.hpp>
#include <gpu/global.hpp>
#include <gpu/memory.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>

#include <cstddef>
#include <cstdint>

namespace every_shape {

// The workspace of a launch, in global memory: a counter for each part of a tile but its first, all
// 0 before a launch and after it, then room for their accumulators, BM x BN each, in the order in
// which threads hold them.
struct StreamKWorkspace {
  static constexpr std::size_t kCounters = 1024;  // a device has fewer SMs
  static constexpr std::size_t kFirstResult = kCounters * sizeof(int);

  void* memory = nullptr;

  __device__ int* arrived(int part) const { return static_cast<int*>(memory) + part; }
  __device__ float* results(int part, int size) const {
    float* const first = reinterpret_cast<float*>(static_cast<std::byte*>(memory) + kFirstResult);
    return first + std::int64_t{part} * size;
  }
};

// What a block computes next: `count` k-tiles of a tile, from `first` on.
template <bool kStreamK>
struct Work {
  int tile, end, step;
  int first = 0, count;

  __device__ Work(TileSchedule::Range tiles, int k_tiles, const StreamKShares&, int /*cluster*/)
      : tile(tiles.first), end(tiles.end), step(tiles.step), count(k_tiles) {}
  __device__ bool done() const { return tile >= end; }
  __device__ void advance() { tile += step; }
};
template <>
struct Work<true> {
  int tile, end, step;
  int first = 0, count;
  int part = -1;  // of the tile; -1: all of it
  const StreamKShares& shares;
  int cluster;

  __device__ Work(TileSchedule::Range tiles, int k_tiles, const StreamKShares& shares_,
                  int cluster_)
      : tile(tiles.first),
        end(shares_.whole),
        step(tiles.step),
        count(k_tiles),
        shares(shares_),
        cluster(cluster_) {
    if (tile >= end) take_share();
  }
  __device__ bool done() const { return tile >= end; }
  __device__ void advance() {
    tile += step;
    if (tile >= end && part < 0) take_share();
  }

 private:
  __device__ void take_share() {
    const auto share = shares.share_of(cluster);
    if (shares.rest == 0 || share.tile < 0) return;
    part = share.part;
    tile = shares.whole + share.tile;
    step = shares.helpers;
    end = shares.helpers > 0 && part > 0 ? shares.whole + shares.rest : tile + 1;
    if (step == 0) step = 1;
    first = shares.begin(part);
    if (count > 0) count = shares.begin(part + 1) - first;
  }
};

// Leaves this block's accumulators, or, in the block that has the first part of the tile: true, and
// `accumulators` holds the sums of all, added in the order of K. That block waits for the others,
// which have lower numbers and wait for nobody. CUDA promises no order in which blocks begin; the
// hardware begins with the lowest number. All consumers.
template <class Config>
__device__ bool reduce_parts(
    float (&accumulators)[Config::kAtoms][Config::kCols][Config::MMA_N / 2],
    const StreamKWorkspace& workspace, const Work<true>& work) {
  constexpr int kTile = Config::BM * Config::BN, kThreads = Config::kConsumers * 128;
  constexpr int kFours = Config::MMA_N / 8;
  const int thread = static_cast<int>(threadIdx.x) - 128, others = work.shares.parts - 1;
  // Where the workspace has part `part` of this block's tile.
  const auto place_of = [&](int part) {
    const int of_cluster = (work.tile - work.shares.whole) * others + part - 1;
    return of_cluster * Config::kClusterSize + Config::Cluster::rank();
  };
  // Calls use(four, offset) for each four accumulators of this thread, and where they are among the
  // block's.
  const auto for_each_four = [&](const auto& use) {
#pragma unroll
    for (int i = 0; i < Config::kAtoms; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kCols; ++j) {
#pragma unroll
        for (int f = 0; f < kFours; ++f) {
          use(accumulators[i][j] + 4 * f,
              (((i * Config::kCols + j) * kFours + f) * kThreads + thread) * 4);
        }
      }
    }
  };
  const auto sync_consumers = [&] { gpu::barrier_sync(1 + Config::kConsumers, kThreads); };
  if (work.part > 0) {
    const int place = place_of(work.part);
    float* const own = workspace.results(place, kTile);
    for_each_four([&](const float* four, int offset) {
      gpu::store_global(own + offset,
                        core::AlignedVector<float, 4>{four[0], four[1], four[2], four[3]});
    });
    sync_consumers();  // all of the block's are stored, before one thread says so
    if (thread == 0) gpu::semaphore_release(workspace.arrived(place), 1);
    return false;
  }
  if (thread < others) {
    int* const arrived = workspace.arrived(place_of(1 + thread));
    gpu::semaphore_wait(arrived, 1);
    *arrived = 0;  // for the next launch
  }
  sync_consumers();  // all threads see what the other blocks have stored
  [[maybe_unused]] constexpr int kAtATime = Config::kAccumulators <= 32   ? 4
                                            : Config::kAccumulators <= 64 ? 2
                                                                          : 1;
#pragma unroll kAtATime
  for (int i = 1; i <= others; ++i) {
    const float* const other = workspace.results(place_of(i), kTile);
    for_each_four([&](float* four, int offset) {
      const auto part = gpu::load_global_mutable<4>(other + offset);
#pragma unroll
      for (int j = 0; j < 4; ++j) four[j] += part[j];
    });
  }
  return true;
}

}  // namespace every_shape

#pragma once
// Split-K: so many blocks compute accumulators of the same tile. All but one leave theirs in global
// memory, which for their size is the L2, and that one adds them up.

#include "schedule.cuh"

#include <core/numeric.hpp>
#include <gpu/global.hpp>
#include <gpu/memory.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace every_shape {

// The k-tiles that a block takes for a tile of C.
struct KRange {
  int first, count;
};

// Number `split` of the kSplits of a tile. Neighbouring blocks have neighbouring tiles at the same
// place along K: they load rows in common.
template <int kSplits>
struct Split {
  int tile, split;

  __device__ KRange k_range(int k_tiles) const {
    const int first = k_tiles * split / kSplits;
    return {first, k_tiles * (split + 1) / kSplits - first};
  }
};
template <class Config>
__device__ Split<Config::kSplits> split_of(const TileSchedule& schedule, int number) {
  if constexpr (Config::kSplits == 1) return {number, 0};
  Split<Config::kSplits> out{number, 0};
#pragma unroll
  for (int i = 1; i < Config::kSplits; ++i) {
    if (out.tile >= schedule.tiles()) out.tile -= schedule.tiles(), ++out.split;
  }
  return out;
}

// The workspace of the splits of a tile.
struct SplitKWorkspace {
  float* accumulators;  // (tiles, kSplits - 1, BM x BN), a tile's in the order in which threads
                        // hold them
  int* arrived;  // for each tile, how many splits have left theirs; 0 before a launch and after it
};

// Leaves this block's accumulators, or, in the block with the last split: true, and `accumulators`
// holds the sums of all, added in the order of the splits. That block waits for the others. CUDA
// promises no order in which blocks begin; that these come before it in the grid is what the
// hardware makes of it, and where all have an SM of their own no order is needed. All consumers.
template <class Config>
__device__ bool reduce_splits(
    float (&accumulators)[Config::kAtoms][Config::kCols][Config::MMA_N / 2],
    const SplitKWorkspace& workspace, const Split<Config::kSplits>& mine) {
  constexpr int kTile = Config::BM * Config::BN, kThreads = Config::kConsumers * 128;
  constexpr int kFours = Config::MMA_N / 8;
  const int thread = static_cast<int>(threadIdx.x) - 128;
  float* const first = workspace.accumulators +
                       static_cast<std::int64_t>(mine.tile) * (Config::kSplits - 1) * kTile +
                       4 * thread;
  // Calls use(four, offset) for each four accumulators of this thread, and where they are among the
  // split's.
  const auto for_each_four = [&](const auto& use) {
#pragma unroll
    for (int i = 0; i < Config::kAtoms; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kCols; ++j) {
#pragma unroll
        for (int f = 0; f < kFours; ++f) {
          use(accumulators[i][j] + 4 * f, ((i * Config::kCols + j) * kFours + f) * 4 * kThreads);
        }
      }
    }
  };
  const auto sync_consumers = [&] { gpu::barrier_sync(1 + Config::kConsumers, kThreads); };
  int* const arrived = workspace.arrived + mine.tile;
  if (mine.split < Config::kSplits - 1) {
    for_each_four([&](const float* four, int offset) {
      gpu::store_global(first + mine.split * kTile + offset,
                        core::AlignedVector<float, 4>{four[0], four[1], four[2], four[3]});
    });
    sync_consumers();  // all of the split's are stored, before one thread counts them
    if (thread == 0) gpu::semaphore_add(arrived, 1);
    return false;
  }
  if (thread == 0) {
    gpu::semaphore_wait(arrived, Config::kSplits - 1);
    *arrived = 0;  // for the next launch
  }
  sync_consumers();  // all threads see what the other blocks have stored
  for_each_four([&](float* four, int offset) {
    float total[4] = {};
#pragma unroll
    for (int split = 0; split < Config::kSplits - 1; ++split) {
      const auto other = gpu::load_global_mutable<4>(first + split * kTile + offset);
#pragma unroll
      for (int i = 0; i < 4; ++i) total[i] += other[i];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) four[i] += total[i];
  });
  return true;
}

}  // namespace every_shape

#pragma once
// K in parts: so many blocks compute sums of the same tile. All but one leave theirs in global
// memory, which for their size is the L2, and that one adds them up.

#include "schedule.cuh"

#include <core/aligned_vector.hpp>
#include <gpu/global.hpp>
#include <gpu/memory.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace hilbert_schedule {

// The steps along K that a block takes for a tile.
struct Steps {
  int first, count;
};

// Number `part` of the kSplit parts of a tile. Neighbouring blocks have neighbouring tiles at the
// same place along K: they bring rows in common.
template <int kSplit>
struct Part {
  int tile, part;

  __device__ Steps steps(int k_tiles) const {
    const int first = k_tiles * part / kSplit;
    return {first, k_tiles * (part + 1) / kSplit - first};
  }
};
template <class Config>
__device__ Part<Config::kSplit> part_of(const TileSchedule& schedule, int number) {
  if constexpr (Config::kSplit == 1) return {number, 0};
  Part<Config::kSplit> out{number, 0};
#pragma unroll
  for (int i = 1; i < Config::kSplit; ++i) {
    if (out.tile >= schedule.tiles()) out.tile -= schedule.tiles(), ++out.part;
  }
  return out;
}

// Where the parts of a tile meet.
struct Shares {
  float* sums;   // (tiles, kSplit - 1, BM x BN), a tile's in the order in which threads hold them
  int* arrived;  // for each tile, how many parts have left theirs; 0 before a launch and after it
};

// Leaves this block's sums, or, in the block with the last part: true, and `sum` holds those of
// all, added in the order of the parts. That block waits for the others. CUDA promises no order in
// which blocks begin; that these come before it in the grid is what the hardware makes of it, and
// where all have an SM of their own no order is needed. All consumers.
template <class Config>
__device__ bool add_shares(float (&sum)[Config::kAtoms][Config::kCols][Config::MMA_N / 2],
                           const Shares& shares, const Part<Config::kSplit>& mine) {
  constexpr int kTile = Config::BM * Config::BN, kThreads = Config::kConsumers * 128;
  constexpr int kFours = Config::MMA_N / 8;
  const int thread = static_cast<int>(threadIdx.x) - 128;
  float* const first = shares.sums +
                       static_cast<std::int64_t>(mine.tile) * (Config::kSplit - 1) * kTile +
                       4 * thread;
  // Calls use(four, offset) for each four sums of this thread, and where they are among the part's.
  const auto for_each_four = [&](const auto& use) {
#pragma unroll
    for (int i = 0; i < Config::kAtoms; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kCols; ++j) {
#pragma unroll
        for (int f = 0; f < kFours; ++f) {
          use(sum[i][j] + 4 * f, ((i * Config::kCols + j) * kFours + f) * 4 * kThreads);
        }
      }
    }
  };
  const auto meet = [&] { gpu::barrier_sync(1 + Config::kConsumers, kThreads); };
  int* const arrived = shares.arrived + mine.tile;
  if (mine.part < Config::kSplit - 1) {
    for_each_four([&](const float* four, int offset) {
      gpu::store_global(first + mine.part * kTile + offset,
                        core::AlignedVector<float, 4>{four[0], four[1], four[2], four[3]});
    });
    meet();  // all of the part's sums are stored, before one thread announces them
    if (thread == 0) gpu::semaphore_add(arrived, 1);
    return false;
  }
  if (thread == 0) {
    gpu::semaphore_wait(arrived, Config::kSplit - 1);
    *arrived = 0;  // for the next launch
  }
  meet();  // all threads see what the other blocks have stored
  for_each_four([&](float* four, int offset) {
    float total[4] = {};
#pragma unroll
    for (int part = 0; part < Config::kSplit - 1; ++part) {
      const auto other = gpu::load_global_mutable<4>(first + part * kTile + offset);
#pragma unroll
      for (int i = 0; i < 4; ++i) total[i] += other[i];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) four[i] += total[i];
  });
  return true;
}

}  // namespace hilbert_schedule

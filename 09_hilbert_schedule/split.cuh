#pragma once
// The blocks of a cluster divide K among them. Each has sums of the whole tile then, and adds up
// its share of the rows, out of the shared memory of all.

#include "epilogue.cuh"

#include <core/aligned_vector.hpp>
#include <gpu/cluster.hpp>
#include <gpu/convert.hpp>
#include <gpu/memory.hpp>
#include <gpu/thread.hpp>

namespace hilbert_schedule {

// The steps along K that this block takes.
struct Steps {
  int first, count;
};
template <class Config>
__device__ Steps block_steps(int k_tiles) {
  if constexpr (Config::kSplit == 1) return {0, k_tiles};
  const int rank = static_cast<int>(gpu::cluster_rank());
  const int first = k_tiles * rank / Config::kSplit;
  return {first, k_tiles * (rank + 1) / Config::kSplit - first};
}

// A tile of sums in shared memory, row by row. Rows are 32 bytes apart in the banks: of the pairs
// that a warp writes at a time, no two share a bank.
template <class Config>
struct SplitSums {
  static constexpr int kPitch = Config::BN + 8;
  float at[Config::BM * kPitch];

  // The sums of a consumer's rows, as wgmma has them.
  __device__ void write(const float (&sum)[Config::kAtoms][Config::kCols][Config::MMA_N / 2],
                        int first_row) {
    const int lane = gpu::lane_index();
    const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4, col = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < Config::kAtoms; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kCols; ++j) {
#pragma unroll
        for (int pair = 0; pair < Config::MMA_N / 4; ++pair) {
          const int r = row + i * 64 + pair % 2 * 8;
          const int c = col + j * Config::MMA_N + pair / 2 * 8;
          const core::AlignedVector<float, 2> value{{sum[i][j][2 * pair], sum[i][j][2 * pair + 1]}};
          gpu::store_shared(at + r * kPitch + c, value);
        }
      }
    }
  }
};

// Adds up and stores this block's share of the tile that starts at (row, col) of C: BM / kSplit
// rows. All consumers of all blocks, after the whole cluster has met. Arrives at the cluster's
// barrier when it has read what it needs of the others.
template <class TC, class Config, class Functor>
__device__ void add_shares(SplitSums<Config>& sums, const Output<TC>& c, const Functor& functor,
                           int first_row, int first_col) {
  constexpr int kSplit = Config::kSplit, kRun = 8, kRunsPerRow = Config::BN / kRun;
  constexpr int kRows = Config::BM / kSplit, kThreads = Config::kConsumers * 128;
  constexpr int kRuns = (kRows * kRunsPerRow + kThreads - 1) / kThreads;
  const int rank = static_cast<int>(gpu::cluster_rank());
  const int thread = static_cast<int>(threadIdx.x) - 128;
  const auto row = [&](int run) { return rank * kRows + (thread + run * kThreads) / kRunsPerRow; };
  const auto col = [&](int run) { return (thread + run * kThreads) % kRunsPerRow * kRun; };
  const auto mine = [&](int run) { return thread + run * kThreads < kRows * kRunsPerRow; };

  float total[kRuns][kRun] = {};
#pragma unroll
  for (int run = 0; run < kRuns; ++run) {
    if (!mine(run)) break;
#pragma unroll
    for (int other = 0; other < kSplit; ++other) {  // in this order, whoever adds
#pragma unroll
      for (int i = 0; i < kRun; i += 4) {
        const auto four =
            gpu::load_cluster<4>(sums.at + row(run) * SplitSums<Config>::kPitch + col(run) + i,
                                 static_cast<unsigned>(other));
#pragma unroll
        for (int j = 0; j < 4; ++j) total[run][i + j] += four[j];
      }
    }
  }
  gpu::cluster_arrive();
#pragma unroll
  for (int run = 0; run < kRuns; ++run) {
    if (!mine(run)) break;
    const int at = first_col + col(run);
    float of_column[kRun] = {};
    if constexpr (Functor::kReadsColumn) {
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        if (at + i < c.n) of_column[i] = gpu::to_float(functor.column[at + i]);
      }
    }
    store_run(c, functor, total[run], of_column, first_row + row(run), at);
  }
}

}  // namespace hilbert_schedule

#pragma once
// A small warp-specialised kernel, C = A B^T: one producer warpgroup whose elected thread issues
// TMA loads, two consumer warpgroups that multiply by wgmma, a ring of four stages between them.
// Optionally two blocks form a cluster and share B's tiles by multicast. `bug` plants one.

#include "runners.hpp"

#include <core/modes.hpp>

#include <gpu/cluster.hpp>
#include <gpu/convert.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

namespace gallery {

inline constexpr int kTile = 128;  // rows of A and of B per block
inline constexpr int kDepth = 64;  // columns per stage: 128 bytes, one row of the swizzle
inline constexpr int kStages = 4;
inline constexpr int kHopperThreads = 3 * 128;

template <class T>
struct HopperShared {
  alignas(1024) T a[kStages][kTile * kDepth];  // (128, 64) K-major, 128-byte swizzle
  std::byte behind_a[512];                     // for kUnalignedTile
  alignas(1024) T b[kStages][kTile * kDepth];  // (128, 64) K-major, 128-byte swizzle
  alignas(1024) T c[2][64 * 64];               // per consumer: (64, 64), 128-byte swizzle
  alignas(1024) gpu::Mbarrier full[kStages];
  gpu::Mbarrier empty[kStages];
};

// Where tiles of A begin in their place, in elements.
template <Bug bug, class T>
inline constexpr int kShift = bug == Bug::kUnalignedTile ? 512 / sizeof(T) : 0;

// The stage of k-tile `i`, and the parity of its phase.
struct PipelineState {
  int index;
  unsigned phase;

  static __device__ PipelineState of(int i) {
    return {i % kStages, static_cast<unsigned>(i / kStages & 1)};
  }
};

template <Bug bug, int kCluster, class T>
__device__ void produce(HopperShared<T>& smem, const gpu::TensorMap& map_a,
                        const gpu::TensorMap& map_b, int row, int column, int k_tiles) {
  constexpr unsigned kBytes = 2 * kTile * kDepth * sizeof(T);
  constexpr unsigned kExpected = bug == Bug::kExpectTooFew    ? kBytes / 2
                                 : bug == Bug::kExpectTooMany ? kBytes + 128
                                                              : kBytes;
  for (int i = 0; i < k_tiles; ++i) {
    const PipelineState state = PipelineState::of(i);
    gpu::Mbarrier& full = smem.full[state.index];
    if constexpr (bug != Bug::kNoEmptyWait) {
      smem.empty[state.index].wait(bug == Bug::kEmptyParity ? state.phase : state.phase ^ 1);
    }
    full.arrive_and_expect(kExpected);
    gpu::tma_load(smem.a[state.index] + kShift<bug, T>, map_a, {i * kDepth, row}, full);
    if constexpr (kCluster == 1) {
      gpu::tma_load(smem.b[state.index], map_b, {i * kDepth, column}, full);
    } else {  // each block brings its share of B to both
      constexpr int kShare = kTile / kCluster;
      const int rank = static_cast<int>(gpu::cluster_rank());
      const unsigned mask = bug == Bug::kMulticastMask ? 1u << rank : (1u << kCluster) - 1;
      gpu::tma_load_multicast(smem.b[state.index] + rank * kShare * kDepth, map_b,
                              {i * kDepth, column + rank * kShare}, full, mask);
    }
  }
}

template <Bug bug, int kCluster, class T>
__device__ void consume(HopperShared<T>& smem, float (&acc)[kTile / 2], int consumer, int k_tiles) {
  constexpr auto kSwizzle =
      bug == Bug::kSwizzleMode ? core::SwizzleMode::k64B : core::SwizzleMode::k128B;
  constexpr int kLeading = bug == Bug::kStrides ? 1024 : 16;
  constexpr int kStride = bug == Bug::kStrides ? 16 : 1024;
  const int thread = static_cast<int>(threadIdx.x % 128);
  const auto release = [&](int stage) {
    if constexpr (kCluster == 1) {
      if (thread == 0) smem.empty[stage].arrive();
    } else {
      if (thread < kCluster) smem.empty[stage].arrive_remote(static_cast<unsigned>(thread));
    }
  };
  for (int i = 0; i < k_tiles; ++i) {
    const PipelineState state = PipelineState::of(i);
    if constexpr (bug != Bug::kNoFullWait) {
      smem.full[state.index].wait(bug == Bug::kFullParity ? state.phase ^ 1 : state.phase);
    }
    const T* const tile_a = smem.a[state.index] + kShift<bug, T> + consumer * 64 * kDepth;
    const auto a = gpu::matrix_descriptor(tile_a, kSwizzle, kLeading, kStride);
    const auto b = gpu::matrix_descriptor(smem.b[state.index], kSwizzle, kLeading, kStride);
    if constexpr (bug != Bug::kNoWgmmaFence) gpu::wgmma_fence();
    for (int k = 0; k < kDepth / 16; ++k) gpu::wgmma<T>(acc, a.plus(32 * k), b.plus(32 * k));
    gpu::wgmma_commit();
    if constexpr (bug == Bug::kReleaseInFlight) release(state.index);
    if constexpr (bug == Bug::kReleaseLiveStage || bug == Bug::kAccumulatorReadEarly) {
      gpu::wgmma_wait<1>();
    } else {
      gpu::wgmma_wait<0>();
    }
    if constexpr (bug == Bug::kAccumulatorReadEarly) {
      if (i > 0) release(PipelineState::of(i - 1).index);
    } else if constexpr (bug != Bug::kReleaseInFlight) {
      release(state.index);
    }
  }
  if constexpr (bug != Bug::kAccumulatorReadEarly) gpu::wgmma_wait<0>();
}

// The consumer's 64 x 128 results, in two halves of 64 columns: registers to the staging buffer by
// stmatrix, on to C by a TMA store.
template <Bug bug, class T>
__device__ void store(T (&staging)[64 * 64], const float (&acc)[kTile / 2],
                      const gpu::TensorMap& map_c, int consumer, int row, int column) {
  const bool leader = threadIdx.x % 128 == 0;
  const int warp = static_cast<int>(threadIdx.x / 32 % 4);
  const int lane = gpu::lane_index();
  const auto all_of_us = [&] { gpu::barrier_sync(1 + consumer, 128); };
  for (int half = 0; half < 2; ++half) {
    if (half > 0) {
      if constexpr (bug != Bug::kNoStoreWait) {
        if (leader) gpu::tma_store_wait_read<0>();
      }
      all_of_us();
    }
    for (int pair = 0; pair < 4; ++pair) {  // 16 columns: two accumulator atoms, four 8x8 matrices
      std::uint32_t packed[4];
      for (int i = 0; i < 4; ++i) {
        const float* values = acc + half * 32 + pair * 8 + 2 * i;
        packed[i] = gpu::from_float<T>(values[0], values[1]).words[0];
      }
      const int to_row = 16 * warp + lane % 16;
      const int to_column = 16 * pair + lane / 16 * 8;
      const auto offset = static_cast<std::uint32_t>(to_row * 128 + to_column * 2);
      gpu::stmatrix(staging + core::swizzled(core::SwizzleMode::k128B, offset) / 2, packed);
    }
    if constexpr (bug != Bug::kNoProxyFence) gpu::fence_proxy_async_shared();
    all_of_us();
    if (leader) {
      gpu::tma_store(map_c, {column + 64 * half, row}, staging);
      gpu::tma_store_commit();
    }
  }
  if constexpr (bug != Bug::kNoStoreWaitAtExit) {
    if (leader) gpu::tma_store_wait_read<0>();
  }
}

// Blocks of kHopperThreads; grid (N / 128, M / 128) rounded up, along y to whole clusters;
// clusters (1, kCluster). Maps: A (M, K), box 128 x 64; B (N, K), box 128 / kCluster x 64; C (M,
// N), box 64 x 64; all with a 128-byte swizzle.
template <Bug bug, int kCluster, class T>
__global__ void __launch_bounds__(kHopperThreads, 1)
    hopper_kernel(const __grid_constant__ gpu::TensorMap map_a,
                  const __grid_constant__ gpu::TensorMap map_b,
                  const __grid_constant__ gpu::TensorMap map_c, int k_tiles) {
  auto& smem = gpu::dynamic_smem<HopperShared<T>>();
  if (threadIdx.x == 0) {
    constexpr unsigned kConsumers = bug == Bug::kArrivalCount ? 1 : 2;
    for (int i = 0; i < kStages; ++i) {
      smem.full[i].init(1);
      smem.empty[i].init(bug == Bug::kClusterArrivals ? kConsumers : kConsumers * kCluster);
    }
    gpu::fence_mbarrier_init();
  }
  if constexpr (kCluster == 1) {
    __syncthreads();
  } else {
    gpu::cluster_sync();
  }

  const int row = static_cast<int>(blockIdx.y) * kTile;
  const int column = static_cast<int>(blockIdx.x) * kTile;
  const int warpgroup = gpu::warpgroup_index();
  if (warpgroup == 0) {
    gpu::shrink_registers<24>();
    if (bug == Bug::kFourProducers || gpu::warp_in_warpgroup() == 0) {
      if (gpu::elect_one()) produce<bug, kCluster>(smem, map_a, map_b, row, column, k_tiles);
    }
  } else {
    gpu::grow_registers<240>();
    const int consumer = warpgroup - 1;
    float acc[kTile / 2] = {};
    consume<bug, kCluster>(smem, acc, consumer, k_tiles);
    store<bug>(smem.c[consumer], acc, map_c, consumer, row + 64 * consumer, column);
  }
  if constexpr (kCluster > 1 && bug != Bug::kPeerLeavesEarly) gpu::cluster_sync();
}

}  // namespace gallery

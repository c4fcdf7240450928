#pragma once
// Where a thread stands. threadIdx, blockIdx, blockDim, gridDim and __syncthreads() are CUDA's own.

namespace gpu {

inline constexpr int kWarpSize = 32;

// 0..31. For blocks of one dimension.
__device__ inline int lane_index() {
  return static_cast<int>(threadIdx.x % kWarpSize);
}

// Warp of the block, the same in all its lanes: read from lane 0, so that the compiler knows it to
// be uniform. Call it with the whole warp.
__device__ inline int warp_index() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / kWarpSize), 0);
}

// Warpgroup (128 threads, four warps) of the block, uniform like warp_index(). Call it with the
// whole warp.
__device__ inline int warpgroup_index() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / (4 * kWarpSize)), 0);
}

// 0..3: warp of its warpgroup, uniform like warp_index(). Call it with the whole warp.
__device__ inline int warp_in_warpgroup() {
  return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / kWarpSize % 4), 0);
}

// Barrier among the 32 lanes, ordering their memory accesses (PTX bar.warp.sync).
__device__ inline void sync_warp() {
  __syncwarp();
}

}  // namespace gpu

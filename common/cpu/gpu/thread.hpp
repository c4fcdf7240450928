#pragma once
// Where a thread stands. threadIdx, blockIdx, blockDim, gridDim and __syncthreads() come along.

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>

namespace gpu {

inline constexpr int kWarpSize = 32;

// 0..31. For blocks of one dimension.
inline int lane_index() {
  return static_cast<int>(threadIdx.x % kWarpSize);
}

// Warp of the block. Call it with the whole warp.
inline int warp_index(Site where = Site::current()) {
  runtime::meet_warp("warp_index", where);
  return static_cast<int>(threadIdx.x / kWarpSize);
}

// Warpgroup (four warps) of the block. Call it with the whole warp.
inline int warpgroup_index(Site where = Site::current()) {
  runtime::meet_warp("warpgroup_index", where);
  return static_cast<int>(threadIdx.x / (4 * kWarpSize));
}

// 0..3. Call it with the whole warp.
inline int warp_in_warpgroup(Site where = Site::current()) {
  runtime::meet_warp("warp_in_warpgroup", where);
  return static_cast<int>(threadIdx.x / kWarpSize % 4);
}

// Barrier among the 32 lanes (PTX bar.warp.sync). Lanes may come from different lines, as hardware
// allows.
inline void sync_warp(Site where = Site::current()) {
  runtime::meet_warp("sync_warp", where);
}

}  // namespace gpu

#pragma once
// From accumulators to C by stores that write through the L2 at once (__stwt), in two orders.

#include "../store.cuh"

#include <gpu/global.hpp>

#include <algorithm>

namespace stores {

// kPlain: the lesson's. kWriteThrough: in its order. kReordered: 16 columns at a time (32 with rows
// of B permuted), of each the lower rows first.
enum class Store { kPlain, kWriteThrough, kReordered };

// The lesson's store_accumulators, by __stwt.
template <int kStoreWidth, Store kStore, class T, int kRegisters>
__device__ void store_through(const cluster_multicast::Output<T>& c,
                              const float (&accumulators)[kRegisters], int first_row,
                              int first_col) {
  constexpr int N = 2 * kRegisters, kPairs = kStoreWidth / 2;
  const int lane = gpu::lane_index();
  const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int col = first_col + lane % 4 * kStoreWidth;
  const bool whole = c.width >= kStoreWidth && first_col + N <= c.n;
  const auto store_some = [&](int half, int j) {
    if (row + 8 * half >= c.m) return;
    T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
    core::AlignedVector<T, kStoreWidth> out;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const float* const pair = accumulators + 4 * (j + i) + 2 * half;
      out.words[i] = gpu::from_float<T>(pair[0], pair[1]).words[0];
    }
    if (whole) {
      gpu::store_global_write_through(target + 8 * j, out);
    } else {
#pragma unroll
      for (int i = 0; i < kStoreWidth; ++i) {
        if (col + 8 * j + i < c.n) target[8 * j + i] = out[i];
      }
    }
  };
  if constexpr (kStore == Store::kReordered) {
    constexpr int kChunk = std::max(2, kPairs);
#pragma unroll
    for (int chunk = 0; chunk < N / 8; chunk += kChunk) {
#pragma unroll
      for (int half = 1; half >= 0; --half) {
#pragma unroll
        for (int j = chunk; j < chunk + kChunk; j += kPairs) store_some(half, j);
      }
    }
  } else {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int j = 0; j < N / 8; j += kPairs) store_some(half, j);
    }
  }
}

}  // namespace stores

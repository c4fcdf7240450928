#pragma once
// From accumulators to C by stores that write through the L2 at once (__stwt), in two orders.

#include "../store.cuh"

#include <gpu/global.hpp>

namespace stores {

// Stores of 8 neighbours, or of 2, in the lesson's order; or of 2, 16 columns at a time, of each
// the lower rows first.
enum class Store { kWide, kPairs, kPairsReordered };

}  // namespace stores

namespace cluster_multicast {

// As the lesson's, but by __stwt.
template <stores::Store kStore, class T, int kRegisters>
__device__ void store_accumulators(const Output<T>& c, const float (&accumulators)[kRegisters],
                                   int first_row, int first_col) {
  constexpr int kStoreWidth = kStore == stores::Store::kWide ? 8 : 2;
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
  if constexpr (kStore == stores::Store::kPairsReordered) {
#pragma unroll
    for (int j = 0; j < N / 8; j += 2) {
#pragma unroll
      for (int half = 1; half >= 0; --half) {
        store_some(half, j);
        store_some(half, j + 1);
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

}  // namespace cluster_multicast

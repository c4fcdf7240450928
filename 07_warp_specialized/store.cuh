#pragma once
// From accumulators to C: rounded, and stored by the threads that hold them.

#include <core/numeric.hpp>
#include <gpu/convert.hpp>
#include <gpu/memory.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace warp_specialized {

// C (M, N), N contiguous, rows `leading_dimension` apart. `width`: elements per store that its
// address and its leading dimension allow.
template <class T>
struct Output {
  T* data;
  int64_t leading_dimension;
  int m, n;
  int width;
};

// Stores the 64 x N accumulators of a warpgroup, which wgmma leaves as pairs: a thread has, of two
// rows, pairs that are 8 columns of B's tile apart. kStoreWidth = 8: four of these are neighbours
// in C, since B's rows were permuted for it, and leave in one store of 128 bits.
template <int kStoreWidth, class T, int kRegisters>
__device__ void store_accumulators(const Output<T>& c, const float (&accumulators)[kRegisters],
                                   int first_row, int first_col) {
  constexpr int N = 2 * kRegisters, kPairs = kStoreWidth / 2;
  const int lane = gpu::lane_index();
  const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int col = first_col + lane % 4 * kStoreWidth;
  const bool whole = c.width >= kStoreWidth && first_col + N <= c.n;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (row + 8 * half >= c.m) break;
    T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
#pragma unroll
    for (int j = 0; j < N / 8; j += kPairs) {
      core::AlignedVector<T, kStoreWidth> out;
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        const float* const pair = accumulators + 4 * (j + i) + 2 * half;
        out.words[i] = gpu::from_float<T>(pair[0], pair[1]).words[0];
      }
      if (whole) {
        gpu::store_global(target + 8 * j, out);
      } else {
#pragma unroll
        for (int i = 0; i < kStoreWidth; ++i) {
          if (col + 8 * j + i < c.n) target[8 * j + i] = out[i];
        }
      }
    }
  }
}

}  // namespace warp_specialized

#pragma once
// From registers to C: stores of the threads themselves.

#include "output.cuh"

#include <core/numeric.hpp>
#include <gpu/global.hpp>
#include <gpu/memory.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace every_shape {

// A run: kStoreWidth neighbours in a row of C. Each thread has, of two rows, pairs that are 8
// columns of B's tile apart. kStoreWidth = 8 or 4: four or two of these are neighbours in C, since
// B's rows were permuted for it. They are every second of the subtile's pairs, beginning with
// `first`.
template <class Run, int kPairs>
__device__ Run get_run(const std::uint32_t (&pairs)[kPairs], int first) {
  Run run;
#pragma unroll
  for (int i = 0; i < Run::kSize / 2; ++i) run.words[i] = pairs[first + 2 * i];
  return run;
}
template <class Run, int kPairs>
__device__ void put_run(std::uint32_t (&pairs)[kPairs], int first, const Run& run) {
#pragma unroll
  for (int i = 0; i < Run::kSize / 2; ++i) pairs[first + 2 * i] = run.words[i];
}

// Calls use(first, row, col) for each run of a subtile that begins at (row, col) of C: the first of
// its pairs, and where it begins in C.
template <int kStoreWidth, int kCols, class Use>
__device__ void for_each_run(int row, int col, const Use& use) {
  const int lane = gpu::lane_index();
  const int first_row = row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int first_col = col + lane % 4 * kStoreWidth;
#pragma unroll
  for (int j = 0; j < kCols / 8; j += kStoreWidth / 2) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      use(2 * j + half, first_row + 8 * half, first_col + 8 * j);
    }
  }
}

// What C holds in a run of which `count` elements exist. Permuted rows go with wide accesses and
// with N in multiples of 8: then all of it exists, or nothing.
template <class Run, class T>
__device__ Run load_run(const T* source, int count) {
  Run run{};
  if constexpr (Run::kSize > 2) {
    if (count > 0) run = gpu::load_global_mutable<Run::kSize>(source);
  } else {
#pragma unroll
    for (int i = 0; i < Run::kSize; ++i) {
      if (i < count) run.set(i, source[i]);
    }
  }
  return run;
}

// Stores a subtile of which C has everything, and takes wide stores: between the last MMA and a
// block's end each instruction counts. `target`: the thread's first run.
template <class Run, int kCols, class T, int kPairs>
__device__ void store_inside(T* target, std::int64_t leading_dimension,
                             const std::uint32_t (&pairs)[kPairs]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    T* const from = target + 8 * half * leading_dimension;
#pragma unroll
    for (int j = 0; j < kCols / 8; j += Run::kSize / 2) {
      gpu::store_global_streaming(from + 8 * j, get_run<Run>(pairs, 2 * j + half));
    }
  }
}

// Stores what C has of the subtile that begins at (first_row, first_col) of it.
template <class Run, int kCols, class T, int kPairs>
__device__ void store_guarded(const Output<T>& c, const std::uint32_t (&pairs)[kPairs],
                              int first_row, int first_col) {
  constexpr int kStoreWidth = Run::kSize;
  const int lane = gpu::lane_index();
  const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int col = first_col + lane % 4 * kStoreWidth;
  const bool wide = c.width >= kStoreWidth;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (row + 8 * half >= c.m) break;
    T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
#pragma unroll
    for (int j = 0; j < kCols / 8; j += kStoreWidth / 2) {
      const Run out = get_run<Run>(pairs, 2 * j + half);
      if (wide && col + 8 * j + kStoreWidth <= c.n) {
        gpu::store_global_streaming(target + 8 * j, out);
      } else {
#pragma unroll
        for (int i = 0; i < kStoreWidth; ++i) {
          if (col + 8 * j + i < c.n) target[8 * j + i] = out[i];
        }
      }
    }
  }
}

}  // namespace every_shape

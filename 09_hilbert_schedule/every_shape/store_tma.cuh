#pragma once
// From registers to C by way of shared memory: stmatrix fills a box, and TMA stores it.

#include "config.cuh"
#include "output.cuh"

#include <core/modes.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <cstdint>

namespace every_shape {

template <class Config>
inline constexpr auto kBoxSwizzle =
    Config::kBox.swizzled ? core::SwizzleMode::k128B : core::SwizzleMode::kNone;

// Each consumer's boxes, filled in turn.
template <class T, class Config, bool kUsed = Config::kStore == Store::kTma>
struct SmemC {};
template <class T, class Config>
struct SmemC<T, Config, true> {
  // (64, cols) N-major, or transposed (cols, 64) M-major
  static constexpr int kSize = 64 * Config::kBox.cols;
  alignas(1024) T box[Config::kConsumers][Config::kBox.count][kSize];
};

// Where in a box a thread puts a row of matrices that its warp has, in bytes. A warp has 16 of the
// 64 rows (transposed: columns), in matrices of 8 x 8 from column `eight` of them on: two above
// each other, and, where there are as many columns, the next two beside them.
template <class Config>
__device__ int place_in_box(int eight) {
  const int lane = gpu::lane_index(), warp = gpu::warp_in_warpgroup();
  const int at = Config::kTransposed
                     ? ((eight + lane / 16) * 8 + lane % 8) * 128 + (warp * 2 + lane / 8 % 2) * 16
                     : (warp * 16 + lane % 16) * Config::kBox.cols * 2 + (eight + lane / 16) * 16;
  return static_cast<int>(core::swizzled(kBoxSwizzle<Config>, static_cast<std::uint32_t>(at)));
}
// The same for an even `eight`, if `first` is for 0: the swizzle's pattern is 8 rows of 128 bytes.
template <class Config>
__device__ int place_in_box(int eight, int first) {
  if (Config::kTransposed) return first + eight * 8 * 128;
  return Config::kBox.swizzled ? first ^ (eight * 16) : first + eight * 16;
}

// Until TMA still reads from the boxes of kSubtilesInFlight subtiles at most. All threads of
// consumer number `consumer`.
template <int kSubtilesInFlight>
__device__ void free_boxes(int consumer) {
  if (threadIdx.x % 128 == 0) gpu::tma_store_wait_read<kSubtilesInFlight>();
  gpu::barrier_sync(1 + consumer, 128);
}

// Stores a subtile, of 64 x kBox.cols, which begins at (first_row, first_col) of C, by way of a box
// that is free. TMA leaves out what lies outside of C. `first_place`: place_in_box(0), known before
// the main loop; a deferred tile has time to work places out beside MMAs. All threads of consumer
// number `consumer`.
template <class Config, class T, int kPairs>
__device__ void store_box(const Output<T>& c, const std::uint32_t (&pairs)[kPairs], int first_row,
                          int first_col, T* box, int first_place, int consumer) {
  constexpr bool kTransposed = Config::kTransposed;
  const auto put = [&](int eight, const auto& matrices) {
    const int at =
        Config::kDeferred ? place_in_box<Config>(eight) : place_in_box<Config>(eight, first_place);
    T* const row = box + static_cast<unsigned>(at) / sizeof(T);
    kTransposed ? gpu::stmatrix_trans(row, matrices) : gpu::stmatrix(row, matrices);
  };
  constexpr int kEights = kPairs / 2;
#pragma unroll
  for (int i = 0; i + 1 < kEights; i += 2) {
    const std::uint32_t four[] = {pairs[2 * i], pairs[2 * i + 1], pairs[2 * i + 2],
                                  pairs[2 * i + 3]};
    put(i, four);
  }
  if constexpr (kEights % 2 != 0) {
    const std::uint32_t two[] = {pairs[kPairs - 2], pairs[kPairs - 1]};
    put(kEights - 1, two);
  }
  gpu::fence_proxy_async_shared();  // or TMA might store what the box had before
  gpu::barrier_sync(1 + consumer, 128);
  if (threadIdx.x % 128 != 0) return;
  const int at[] = {kTransposed ? first_row : first_col, kTransposed ? first_col : first_row};
  gpu::tma_store(c.map, at, box, c.policy);
  gpu::tma_store_commit();
}

}  // namespace every_shape

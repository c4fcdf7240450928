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

// Each consumer's boxes, filled in turn.
template <class T, class Config, bool kUsed = Config::kStore == Store::kTma>
struct SmemC {};
template <class T, class Config>
struct SmemC<T, Config, true> {
  // (64, 64) N-major, or transposed (kCols, 64) M-major, 128-byte swizzle
  static constexpr int kSize = 64 * Subtiles<Config>::kCols;
  alignas(1024) T box[Config::kConsumers][Config::kBoxes][kSize];
};

// Stores subtile kSubtile, of 64 x kCols, which begins at (first_row, first_col) of C. Each warp
// has 16 of the 64. Up to kSubtilesInFlight before it may still be read from their boxes, not from
// this one. TMA leaves out what lies outside of C. All threads of consumer number `consumer`.
template <class Config, int kSubtile, int kSubtilesInFlight, class T, int kPairs>
__device__ void store_box(const Output<T>& c, const std::uint32_t (&pairs)[kPairs], int first_row,
                          int first_col, T* box, int consumer) {
  constexpr bool kTransposed = Config::kTransposed;
  constexpr int kFirst = kTransposed ? Subtiles<Config>::template kStoredBefore<kSubtile> : 0;
  const bool sends = threadIdx.x % 128 == 0;
  if (sends) gpu::tma_store_wait_read<kSubtilesInFlight>();
  gpu::barrier_sync(1 + consumer, 128);
  const int lane = gpu::lane_index(), warp = gpu::warp_in_warpgroup();
#pragma unroll
  for (int j = kFirst / 16 * 2; j < kPairs / 2; j += 2) {  // two times 8 columns
    const std::uint32_t matrices[] = {pairs[2 * j], pairs[2 * j + 1], pairs[2 * j + 2],
                                      pairs[2 * j + 3]};
    // Four matrices: above each other the first two, and beside them the others.
    if constexpr (kTransposed) {
      const std::uint32_t at =
          ((j + lane / 16) * 8 + lane % 8) * 128 + (warp * 2 + lane / 8 % 2) * 16;
      gpu::stmatrix_trans(box + core::swizzled(core::SwizzleMode::k128B, at) / sizeof(T), matrices);
    } else {
      const std::uint32_t at = (warp * 16 + lane % 16) * 128 + (j + lane / 16) * 16;
      gpu::stmatrix(box + core::swizzled(core::SwizzleMode::k128B, at) / sizeof(T), matrices);
    }
  }
  gpu::fence_proxy_async_shared();  // or TMA might store what the box had before
  gpu::barrier_sync(1 + consumer, 128);
  if (!sends) return;
  if constexpr (kTransposed) {
    using Parts = Subtiles<Config>;
#pragma unroll
    for (int col = kFirst; col < Parts::kCols; col += Parts::kBoxCols) {
      const int at[] = {first_row, first_col + col};
      gpu::tma_store(c.map, at, box + col * 64, c.policy);
    }
  } else {
    const int at[] = {first_col, first_row};
    gpu::tma_store(c.map, at, box, c.policy);
  }
  gpu::tma_store_commit();
}

}  // namespace every_shape

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
  // (64, 64) N-major, 128-byte swizzle
  alignas(1024) T box[Config::kConsumers][Config::kBoxes][64 * 64];
};

// Stores the subtile of 64 x 64 that begins at (first_row, first_col) of C. Each warp has 16 rows
// of the box. TMA leaves out what lies outside of C. All threads of consumer number `consumer`.
template <int kBoxes, class T>
__device__ void store_box(const Output<T>& c, const std::uint32_t (&pairs)[16], int first_row,
                          int first_col, T* box, int consumer) {
  const bool sends = threadIdx.x % 128 == 0;
  if (sends) gpu::tma_store_wait_read<kBoxes - 1>();  // what this box had has been read
  gpu::barrier_sync(1 + consumer, 128);
  const int row = gpu::warp_in_warpgroup() * 16 + gpu::lane_index() % 16;
#pragma unroll
  for (int j = 0; j < 8; j += 2) {  // two times 8 columns
    const std::uint32_t at = row * 128 + (j + gpu::lane_index() / 16) * 16;
    const std::uint32_t matrices[] = {pairs[2 * j], pairs[2 * j + 1], pairs[2 * j + 2],
                                      pairs[2 * j + 3]};
    gpu::stmatrix(box + core::swizzled(core::SwizzleMode::k128B, at) / sizeof(T), matrices);
  }
  gpu::fence_proxy_async_shared();  // or TMA might store what the box had before
  gpu::barrier_sync(1 + consumer, 128);
  if (!sends) return;
  const int at[] = {first_col, first_row};
  gpu::tma_store(c.map, at, box, c.policy);
  gpu::tma_store_commit();
}

}  // namespace every_shape

#pragma once
// A finished tile on its way to C: rounded, held in registers, and stored in chunks of 64 x 64 by
// stmatrix and TMA, while the tensor cores multiply the next tile.

#include <core/modes.hpp>
#include <gpu/convert.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <cstdint>

namespace hilbert_schedule {

// Of one consumer: 64 rows of a tile with BN columns.
template <class T, int BN>
struct DeferredStore {
  static constexpr int kChunks = BN / 64;
  // Two buffers in shared memory: TMA reads one while the threads write the other.
  using Buffers = T[2][64 * 64];

  std::uint32_t packed[kChunks][16];  // pairs of elements, as wgmma leaves them
  int row = 0, col = 0;               // of the tile, in C
  int next = kChunks;                 // the first chunk that has not been stored

  // Takes the accumulators of the tile at (first_row, first_col) of C.
  __device__ void convert(const float (&accumulators)[BN / 2], int first_row, int first_col) {
#pragma unroll
    for (int i = 0; i < BN / 4; ++i) {
      packed[i / 16][i % 16] =
          gpu::from_float<T>(accumulators[2 * i], accumulators[2 * i + 1]).words[0];
    }
    row = first_row, col = first_col, next = 0;
  }

  // Stores the next chunk, if there is one. All threads of the consumer call.
  __device__ void store_next(const gpu::TensorMap& map_c, Buffers& smem_c) {
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      if (chunk == next) store(map_c, smem_c[chunk % 2], packed[chunk], col + chunk * 64);
    }
    if (next < kChunks) ++next;
  }
  __device__ void store_rest(const gpu::TensorMap& map_c, Buffers& smem_c) {
    while (next < kChunks) store_next(map_c, smem_c);
  }
  // Before the block ends: TMA has read what it stores.
  __device__ void finish(const gpu::TensorMap& map_c, Buffers& smem_c) {
    store_rest(map_c, smem_c);
    gpu::tma_store_wait_read<0>();
  }

 private:
  // Each warp writes 16 rows of the chunk, 128-byte swizzle. TMA leaves out what lies outside of C,
  // and the L2 is asked to evict C first: A and B will be read again, C will not.
  __device__ void store(const gpu::TensorMap& map_c, T* smem_c, const std::uint32_t (&pairs)[16],
                        int chunk_col) const {
    const bool issues = threadIdx.x % 128 == 0;
    const int barrier = gpu::warpgroup_index();  // of this consumer alone
    if (issues) gpu::tma_store_wait_read<1>();   // TMA has read the chunk before the last
    gpu::barrier_sync(barrier, 128);
    const int smem_row = gpu::warp_in_warpgroup() * 16 + gpu::lane_index() % 16;
#pragma unroll
    for (int j = 0; j < 8; j += 2) {  // 16 columns: four matrices of 8 x 8
      const std::uint32_t at = smem_row * 128 + (j + gpu::lane_index() / 16) * 16;
      const std::uint32_t matrices[] = {pairs[2 * j], pairs[2 * j + 1], pairs[2 * j + 2],
                                        pairs[2 * j + 3]};
      gpu::stmatrix(smem_c + core::swizzled(core::SwizzleMode::k128B, at) / sizeof(T), matrices);
    }
    gpu::fence_proxy_async_shared();  // or TMA might read what was there before
    gpu::barrier_sync(barrier, 128);
    if (!issues) return;
    const int at[] = {chunk_col, row};
    gpu::tma_store(map_c, at, smem_c, gpu::kEvictFirst);
    gpu::tma_store_commit();
  }
};

}  // namespace hilbert_schedule

#pragma once
// From accumulators to C: through shared memory, so that rows arrive whole.

#include <core/numeric.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

namespace swizzle_pipeline {

// Calls store(row, col, values) for all of a warp's accumulators, atoms of 16 x 8: neighbours of
// one row of the warp's tile. A thread holds them in pairs; kStoreWidth = 2 stores these.
// kStoreWidth = 8: through shared memory, 16 rows at a time, a lane gets 16 bytes of C, and the
// warp whole rows. `smem_c`: 16 rows, kPitchC floats apart.
template <class Config, class Store>
__device__ void store_accumulators(const float (&sum)[Config::kAtomsM][Config::kAtomsN][4],
                                   float* smem_c, const Store& store) {
  constexpr int kLanesPerRow = Config::WN / 8, kRowsAtOnce = gpu::kWarpSize / kLanesPerRow;
  const int lane = gpu::lane_index();
#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
    gpu::sync_warp();  // the lanes have read the rows before
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {  // of an atom's rows
        const int row = half * 8 + lane / 4, col = j * 8 + lane % 4 * 2;
        const float pair[2] = {sum[i][j][2 * half], sum[i][j][2 * half + 1]};
        if constexpr (Config::kStoreWidth == 2) {
          store(i * 16 + row, col, pair);
        } else {
          gpu::store_shared(smem_c + row * Config::kPitchC + col,
                            core::AlignedVector<float, 2>{pair[0], pair[1]});
        }
      }
    }
    if constexpr (Config::kStoreWidth == 2) continue;
    gpu::sync_warp();
#pragma unroll
    for (int first = 0; first < 16; first += kRowsAtOnce) {
      const int row = first + lane / kLanesPerRow, col = lane % kLanesPerRow * 8;
      // Every other four lanes begin with their second quad: no two of eight meet on a bank.
      const int swapped = lane / 4 % 2 * 4;
      const float* const from = smem_c + row * Config::kPitchC + col;
      const auto one = gpu::load_shared<4>(from + swapped);
      const auto other = gpu::load_shared<4>(from + 4 - swapped);
      float values[8];
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        values[v] = swapped == 0 ? one[v] : other[v];
        values[v + 4] = swapped == 0 ? other[v] : one[v];
      }
      store(i * 16 + row, col, values);
    }
  }
}

}  // namespace swizzle_pipeline

#pragma once
// Chapter 05. Tiles travel from global to shared memory without passing through registers, several
// stages ahead; shared memory is swizzled instead of padded; results leave through shared memory in
// whole rows. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N) with N contiguous.

#include "config.cuh"
#include "fragments.hpp"
#include "schedule.cuh"
#include "store.cuh"

#include <gemm/operands.hpp>
#include <gemm/tensor_view.hpp>
#include <gpu/convert.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/memory.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace swizzle_pipeline {

template <class T, class Config>
struct SharedStorage {
  struct Stage {
    alignas(128) T a[Config::BM * Config::kPitch];  // (BM, BK) K-major
    alignas(128) T b[Config::BN * Config::kPitch];  // (BN, BK) K-major
  };
  union {
    Stage stage[Config::kStages];
    float c[Config::kThreads / gpu::kWarpSize][16 * Config::kPitchC];  // when these are done with
  };
};

// Sends a thread's share of BK columns, beginning with first_k, of `matrix` on its way to `smem`.
// `matrix` has at most as many rows as the tile. What lies outside of it counts as zero.
template <class Config, class Map, class T>
__device__ void copy_tile(T* smem, const gemm::MatrixView<const T>& matrix, int first_k) {
  constexpr int kVector = Config::kVector, kBytes = kVector * sizeof(T);
  const int thread = static_cast<int>(threadIdx.x);
  const int k = first_k + Map::col(thread, 0);
  // One address and a step: an address for each vector would take the accumulators' registers.
  const T* from = matrix.at(Map::row(thread, 0), k);
  const int rows = k < matrix.extent(1) ? matrix.extent(0) : 0;
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i, from += matrix.ref.layout(Map::kDeltaStrided, 0)) {
    if (!Map::holds(thread, i)) continue;
    T* const to = smem + Config::smem_offset(Map::row(thread, i), Map::col(thread, i));
    // A vector is inside or outside as a whole: K % kVector == 0.
    const bool inside = Map::row(thread, i) < rows;
    if constexpr (kBytes >= 4) {
      gpu::cp_async_if<kBytes>(inside, to, from);
    } else {  // 16 bits are too few for cp.async
      *to = gpu::load_global_if<kVector>(inside, from)[0];
    }
  }
}

// kCount neighbouring outputs of one row: one store where C allows it, guarded single ones
// elsewhere.
template <int kCount, class T>
__device__ void store_outputs(const gemm::MatrixView<T>& c, int row, int col,
                              const float (&values)[kCount], bool vector_stores) {
  if (row >= c.extent(0) || col >= c.extent(1)) return;
  T* target = c.at(row, col);
  if (vector_stores && col + kCount <= c.extent(1)) {
    core::AlignedVector<T, kCount> out{};
#pragma unroll
    for (int j = 0; j < kCount; ++j) out.set(j, gpu::from_float<T>(values[j]));
    gpu::store_global(target, out);
    return;
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (col + j < c.extent(1)) target[j] = gpu::from_float<T>(values[j]);
  }
}

// What a warp multiplies: a step of its tile of A and of B, and its accumulators.
template <class T, class Config>
struct WarpTile {
  std::uint32_t a[2][Config::kAtomsM][4];      // double buffer: step in use, step under way
  std::uint32_t b[2][Config::kAtomsN / 2][4];  // two atoms, two registers each
  float sum[Config::kAtomsM][Config::kAtomsN][4] = {};

  __device__ void load(int buffer, const T* smem_a, const T* smem_b) {
#pragma unroll
    for (int i = 0; i < Config::kAtomsM; ++i) {
      gpu::ldmatrix(a[buffer][i], smem_a + i * 16 * Config::kPitch);
    }
#pragma unroll
    for (int j = 0; j < Config::kAtomsN / 2; ++j) {
      gpu::ldmatrix(b[buffer][j], smem_b + j * 16 * Config::kPitch);
    }
  }

  __device__ void multiply(int buffer) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
      const auto& two = b[buffer][j / 2];
      const std::uint32_t atom_b[2] = {two[j % 2 * 2], two[j % 2 * 2 + 1]};
#pragma unroll
      for (int i = 0; i < Config::kAtomsM; ++i) {
        const int row =
            j % 2 == 0 ? i : Config::kAtomsM - 1 - i;  // there and back: a stays at hand
        gpu::mma_m16n8k16<T>(sum[row][j], a[buffer][row], atom_b);
      }
    }
  }
};

// Multiplies the block's rows of A and of B. `warp`: where the warp's tile begins in the block's.
template <class T, class Config>
__device__ void multiply_rows(WarpTile<T, Config>& tile, SharedStorage<T, Config>& smem,
                              const gemm::MatrixView<const T>& a,
                              const gemm::MatrixView<const T>& b, Coord warp) {
  constexpr int BK = Config::BK, kStages = Config::kStages, kSteps = Config::kSteps;

  // The k-tile that begins at `k0`, on its way to shared memory. Behind the last one all of it is
  // outside: nothing is read, zeros are written, and the count of groups goes on.
  const auto copy_k_tile = [&](int k0, int stage) {
    copy_tile<Config, typename Config::MapA>(smem.stage[stage].a, a, k0);
    copy_tile<Config, typename Config::MapB>(smem.stage[stage].b, b, k0);
    gpu::cp_async_commit();
  };
  // My part of step `step` of the k-tile in `stage`, on its way to registers.
  const Coord lane_a = row_of_a(gpu::lane_index()), lane_b = row_of_b(gpu::lane_index());
  const int smem_a = Config::smem_offset(warp.row + lane_a.row, lane_a.col);
  const int smem_b = Config::smem_offset(warp.col + lane_b.row, lane_b.col);
  const auto load_step = [&](int buffer, int stage, int step) {
    tile.load(buffer, smem.stage[stage].a + Config::smem_step(smem_a, step),
              smem.stage[stage].b + Config::smem_step(smem_b, step));
  };

#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) copy_k_tile(stage * BK, stage);
  gpu::cp_async_wait<kStages - 2>();  // the first k-tile has arrived, as far as this thread is
  __syncthreads();                    // concerned; now as far as all are

  int stage = 0, free_stage = kStages - 1;
  load_step(0, stage, 0);
  for (int k0 = 0; k0 < a.extent(1); k0 += BK) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step == kSteps - 1) {
        gpu::cp_async_wait<kStages - 2>();
        __syncthreads();  // the next k-tile is complete, and no one reads the one before this
        stage = stage + 1 == kStages ? 0 : stage + 1;
      }
      load_step((step + 1) % 2, stage, (step + 1) % kSteps);
      if (step == 0) {  // the first fragments are there: no load waits for these
        copy_k_tile(k0 + (kStages - 1) * BK, free_stage);
        free_stage = free_stage + 1 == kStages ? 0 : free_stage + 1;
      }
      tile.multiply(step % 2);
    }
  }
  gpu::cp_async_wait_all();
  __syncthreads();  // the stages are free for the results
}

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const TileCoord coord = tile_coord<Config::kGroupRows>(
      static_cast<int>(blockIdx.x), gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN));
  const int block_row = coord.row * BM, block_col = coord.col * BN;

  // The block's rows of A and of B, and its tile of C: clipped where the matrices end.
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, 0}, {BN, g.k});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  // Where my warp stands in the block's tile.
  const int warp = gpu::warp_index();
  const int warp_row = warp / Config::kWarpsN * Config::WM;
  const int warp_col = warp % Config::kWarpsN * Config::WN;

  WarpTile<T, Config> tile;
  multiply_rows(tile, smem, a, b, {warp_row, warp_col});
  store_accumulators<Config>(tile.sum, smem.c[warp], [&](int row, int col, const auto& values) {
    store_outputs(c, warp_row + row, warp_col + col, values, vector_stores);
  });
}

}  // namespace swizzle_pipeline

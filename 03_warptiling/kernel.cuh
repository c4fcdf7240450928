#pragma once
// Chapter 03. A block computes a BM x BN tile of C, a warp WM x WN of it, a thread WMITER x WNITER
// pieces of TM x TN. Loads run ahead of the arithmetic: the next slice travels from global memory
// to registers, the next k-row from shared memory to registers, while the present ones are
// multiplied. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N) with N contiguous.

#include "config.cuh"

#include <gemm/operands.hpp>
#include <gemm/tensor_view.hpp>
#include <gpu/convert.hpp>
#include <gpu/fma.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

namespace warptiling {

template <class Config>
struct SharedStorage {
  struct Stage {
    alignas(16) float a[Config::smem_size(Config::BM)];  // (BK, BM) m contiguous: A transposed
    alignas(16) float b[Config::smem_size(Config::BN)];  // (BK, BN) n contiguous: B transposed
  };
  Stage stage[2];  // one is read while the other is filled
};

// A thread's share of a tile on its way from global to shared memory.
template <class T, class Map, int kVector>
using LoadFragment = core::AlignedVector<T, kVector>[Map::kIterations];

// Loads a thread's share of BK columns, beginning with first_k, of `matrix`, which has at most as
// many rows as the tile. What lies outside of the matrix counts as zero.
template <class Config, class Map, class T>
__device__ void load_tile(LoadFragment<T, Map, Config::kVector>& fragment,
                          const gemm::MatrixView<const T>& matrix, int first_k) {
  constexpr int kVector = Config::kVector;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    const int row = Map::row(thread, i);
    const int k = first_k + Map::col(thread, i);
    // A vector is inside or outside as a whole: K % kVector == 0.
    fragment[i] = gpu::load_global_if<kVector>(matrix.contains(row, k), matrix.at(row, k));
  }
}

// Leaves it transposed in `smem`, as float.
template <class Config, class Map, int kRows, class T>
__device__ void store_tile(float* smem, const LoadFragment<T, Map, Config::kVector>& fragment) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    if (!Map::holds(thread, i)) continue;
#pragma unroll
    for (int v = 0; v < Config::kVector; ++v) {
      const int k = Map::col(thread, i) + v;
      smem[Config::smem_row(k, kRows) + Map::row(thread, i)] = gpu::to_float(fragment[i][v]);
    }
  }
}

// kCount consecutive floats of shared memory, 128 bits at a time.
template <int kCount>
__device__ void load_fragment(float (&fragment)[kCount], const float* smem) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4) {
    const auto four = gpu::load_shared<4>(smem + i);
#pragma unroll
    for (int j = 0; j < 4; ++j) fragment[i + j] = four[j];
  }
}

// kCount neighbouring outputs of one row: one store where C allows it, guarded single ones
// elsewhere.
template <int kCount, class T>
__device__ void store_outputs(const gemm::MatrixView<T>& c, int row, int col,
                              const float (&values)[kCount], bool vector_stores) {
  if (vector_stores && c.contains(row, col + kCount - 1)) {
    core::AlignedVector<T, kCount> out{};
#pragma unroll
    for (int j = 0; j < kCount; ++j) out.set(j, gpu::from_float<T>(values[j]));
    gpu::store_global(c.at(row, col), out);
    return;
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (c.contains(row, col + j)) c(row, col + j) = gpu::from_float<T>(values[j]);
  }
}

// What a warp multiplies: one k-row of its tile of A and of B, and its accumulators.
template <class Config>
struct WarpTile {
  static constexpr int WMITER = Config::WMITER, WNITER = Config::WNITER;
  static constexpr int TM = Config::TM, TN = Config::TN;

  float a[2][WMITER][TM];  // double buffer: k-row in use, k-row under way
  float b[2][WNITER][TN];
  float sum[WMITER][TM][WNITER][TN] = {};

  __device__ void load(int buffer, const float* smem_a, const float* smem_b) {
#pragma unroll
    for (int i = 0; i < WMITER; ++i) load_fragment(a[buffer][i], smem_a + i * Config::WSUBM);
#pragma unroll
    for (int j = 0; j < WNITER; ++j) load_fragment(b[buffer][j], smem_b + j * Config::WSUBN);
  }

  __device__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < WMITER; ++i) {
#pragma unroll
      for (int y = 0; y < TM; ++y) {
#pragma unroll
        for (int j = 0; j < WNITER; ++j) {
#pragma unroll
          for (int x = 0; x < TN; ++x) {
            float& out = sum[i][y][j][x];
            out = gpu::fma(a[buffer][i][y], b[buffer][j][x], out);
          }
        }
      }
    }
  }
};

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  constexpr int WM = Config::WM, WN = Config::WN;
  constexpr int TM = Config::TM, TN = Config::TN;
  using MapA = typename Config::MapA;
  using MapB = typename Config::MapB;
  auto& smem = gpu::dynamic_smem<SharedStorage<Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;

  // The block's rows of A and of B, and its tile of C: clipped where the matrices end.
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, 0}, {BN, g.k});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  // Where my warp stands in the block's tile, and my lane in the warp's. Lanes stand in quads of
  // 2 x 2: each shares its a with the lane beside it and its b with the lane below, and the
  // hardware then serves a 128-bit shared load of the warp in two wavefronts instead of four.
  constexpr int kLanesN = Config::WSUBN / TN;
  const int warp = gpu::warp_index();
  const int warp_row = warp / Config::kWarpsN * WM;
  const int warp_col = warp % Config::kWarpsN * WN;
  const int lane = gpu::lane_index(), quad = lane / 4;
  const int lane_row = (quad / (kLanesN / 2) * 2 + lane / 2 % 2) * TM;
  const int lane_col = (quad % (kLanesN / 2) * 2 + lane % 2) * TN;

  LoadFragment<T, MapA, Config::kVector> next_a;
  LoadFragment<T, MapB, Config::kVector> next_b;
  WarpTile<Config> tile;

  // The slice that begins at `k0`, on its way to registers, and then to shared memory.
  const auto load_slice = [&](int k0) {
    load_tile<Config, MapA>(next_a, a, k0);
    load_tile<Config, MapB>(next_b, b, k0);
  };
  const auto store_slice = [&](int stage) {
    store_tile<Config, MapA, BM>(smem.stage[stage].a, next_a);
    store_tile<Config, MapB, BN>(smem.stage[stage].b, next_b);
  };

  // My part of k-row `k` of the slice in `stage`, on its way to registers.
  const auto load_row = [&](int buffer, int stage, int k) {
    tile.load(buffer, smem.stage[stage].a + Config::smem_row(k, BM) + warp_row + lane_row,
              smem.stage[stage].b + Config::smem_row(k, BN) + warp_col + lane_col);
  };

  load_slice(0);
  store_slice(0);
  __syncthreads();

  int stage = 0;
  load_row(0, stage, 0);
  for (int k0 = 0; k0 < g.k; k0 += BK) {
    load_slice(k0 + BK);  // sets out now, is needed when the present slice is nearly done
#pragma unroll 1  // unrolled whole, the compiler would move the global loads down, behind this loop
    for (int k = 0; k < BK - 2; k += 2) {
      load_row(1, stage, k + 1);
      tile.multiply(0);
      load_row(0, stage, k + 2);
      tile.multiply(1);
    }
    load_row(1, stage, BK - 1);
    tile.multiply(0);

    stage ^= 1;
    store_slice(stage);
    __syncthreads();  // the next slice is complete, and no one reads the present one any more
    load_row(0, stage, 0);
    tile.multiply(1);
  }

#pragma unroll
  for (int i = 0; i < Config::WMITER; ++i) {
#pragma unroll
    for (int y = 0; y < TM; ++y) {
#pragma unroll
      for (int j = 0; j < Config::WNITER; ++j) {
        store_outputs(c, warp_row + i * Config::WSUBM + lane_row + y,
                      warp_col + j * Config::WSUBN + lane_col, tile.sum[i][y][j], vector_stores);
      }
    }
  }
}

}  // namespace warptiling

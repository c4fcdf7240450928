#pragma once
// Chapter 02. A block computes a BM x BN tile of C out of BK-deep slices of A and B in shared
// memory; a thread computes TM x TN of it in registers. C = A B^T, A (M, K) and B (N, K) with K
// contiguous, C (M, N) with N contiguous.

#include "config.cuh"

#include <gemm/operands.hpp>
#include <gemm/tensor_view.hpp>
#include <gpu/convert.hpp>
#include <gpu/fma.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

namespace smem_tiling {

template <class Config>
struct SharedStorage {
  alignas(16) float a[Config::smem_size(Config::BM)];  // (BK, BM) m contiguous: A transposed
  alignas(16) float b[Config::smem_size(Config::BN)];  // (BK, BN) n contiguous: B transposed
};

// Loads BK columns, beginning with first_k, of `matrix`, which has at most kRows rows, and leaves
// them transposed in `smem`, as float. What lies outside of the matrix counts as zero.
template <class Config, class Map, int kRows, class T>
__device__ void load_tile(float* smem, const gemm::MatrixView<const T>& matrix, int first_k) {
  constexpr int kVector = Config::kVector;
  const int thread = static_cast<int>(threadIdx.x);

  core::AlignedVector<T, kVector> fragment[Map::kIterations];
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    const int row = Map::row(thread, i);
    const int k = first_k + Map::col(thread, i);
    // A vector is inside or outside as a whole: K % kVector == 0.
    fragment[i] = gpu::load_global_if<kVector>(matrix.contains(row, k), matrix.at(row, k));
  }
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

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  constexpr int TM = Config::TM, TN = Config::TN;
  using MapA = typename Config::MapA;
  using MapB = typename Config::MapB;
  auto& smem = gpu::static_smem<SharedStorage<Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;

  // The block's rows of A and of B, and its tile of C: clipped where the matrices end.
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, 0}, {BN, g.k});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  const int thread_row = static_cast<int>(threadIdx.x) / (BN / TN) * TM;
  const int thread_col = static_cast<int>(threadIdx.x) % (BN / TN) * TN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < g.k; k0 += BK) {
    load_tile<Config, MapA, BM>(smem.a, a, k0);
    load_tile<Config, MapB, BN>(smem.b, b, k0);
    __syncthreads();  // the slice is complete before anyone reads it

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float fragment_a[TM], fragment_b[TN];
      load_fragment(fragment_a, smem.a + Config::smem_row(k, BM) + thread_row);
      load_fragment(fragment_b, smem.b + Config::smem_row(k, BN) + thread_col);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          sum[i][j] = gpu::fma(fragment_a[i], fragment_b[j], sum[i][j]);
        }
      }
    }
    __syncthreads();  // everyone has read it before it is overwritten
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    store_outputs(c, thread_row + i, thread_col, sum[i], vector_stores);
  }
}

}  // namespace smem_tiling

#pragma once
// Chapter 02. A block computes a BM x BN tile of C out of BK-deep slices of A and B in shared
// memory; a thread computes TM x TN of it in registers. C = A B^T, A (M, K) and B (N, K) with K
// contiguous, C (M, N) with N contiguous.


#include <gemm/operands.hpp>
#include <gemm/thread_map.hpp>
#include <gpu/convert.hpp>
#include <gpu/fma.hpp>
#include <gpu/launch.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <algorithm>

namespace smem_tiling {

inline constexpr const char* kName = "02_smem_tiling";

// kVector: elements per global load (8: 128 bits).
template <int kVector_, bool kPadded>
struct Config {
  static constexpr int BM = 128, BN = 128, BK = 16;
  static constexpr int TM = 8, TN = 8;
  static constexpr int kThreads = (BM / TM) * (BN / TN);
  static constexpr int kVector = kVector_;

  // Floats left free after every kVector k-rows of a tile in shared memory. The lanes of a store
  // hold kChunks different vectors of a row; the skew sends each of them to its own banks. (A
  // multiple of 4, so that 128-bit loads stay aligned.)
  static constexpr int kChunks = BK / kVector;
  static constexpr int kSkew = !kPadded || kChunks == 1 ? 0 : std::max(4, 32 / kChunks);

  // Where k-row `k` of a tile with `length` columns starts, and the whole tile's size, in floats.
  static constexpr int smem_row(int k, int length) { return k * length + k / kVector * kSkew; }
  static constexpr int smem_size(int length) { return smem_row(BK, length); }
};

template <class Config>
struct SharedStorage {
  alignas(
      16) float a[Config::smem_size(Config::BM)];  // (BK, BM) m contiguous: A's tile, transposed
  alignas(
      16) float b[Config::smem_size(Config::BN)];  // (BK, BN) n contiguous: B's tile, transposed
};

// Loads a tile of kRows rows and BK columns of `matrix`, beginning at (first_row, first_k), and
// leaves it transposed in `smem`, as float. What lies outside of rows x depth counts as zero.
template <class Config, int kRows, class T>
__device__ void load_tile(float* smem, const T* matrix, int64_t leading_dimension, int first_row,
                          int rows, int first_k, int depth) {
  constexpr int kVector = Config::kVector;
  using Map = gemm::ThreadMap<kRows, Config::BK, Config::kThreads, kVector>;
  const int thread = static_cast<int>(threadIdx.x);

  core::AlignedVector<T, kVector> fragment[Map::kIterations];
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    const int row = first_row + Map::row(thread, i);
    const int k = first_k + Map::col(thread, i);
    // A vector is inside or outside as a whole: depth % kVector == 0.
    const bool inside = Map::holds(thread, i) && row < rows && k < depth;
    fragment[i] = gpu::load_global_if<kVector>(inside, matrix + row * leading_dimension + k);
  }
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    if (!Map::holds(thread, i)) continue;
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
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
__device__ void store_outputs(const gemm::Operands<T>& g, int row, int col,
                              const float (&values)[kCount], bool vector_stores) {
  if (row >= g.m) return;
  T* target = g.c + row * g.ldc + col;
  if (vector_stores && col + kCount <= g.n) {
    core::AlignedVector<T, kCount> out{};
#pragma unroll
    for (int j = 0; j < kCount; ++j) out.set(j, gpu::from_float<T>(values[j]));
    gpu::store_global(target, out);
    return;
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (col + j < g.n) target[j] = gpu::from_float<T>(values[j]);
  }
}

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  constexpr int TM = Config::TM, TN = Config::TN;
  auto& smem = gpu::static_smem<SharedStorage<Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const int thread_row = static_cast<int>(threadIdx.x) / (BN / TN) * TM;
  const int thread_col = static_cast<int>(threadIdx.x) % (BN / TN) * TN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < g.k; k0 += BK) {
    load_tile<Config, BM>(smem.a, g.a, g.lda, block_row, g.m, k0, g.k);
    load_tile<Config, BN>(smem.b, g.b, g.ldb, block_col, g.n, k0, g.k);
    __syncthreads();  // the slice is complete before anyone reads it

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      load_fragment(a, smem.a + Config::smem_row(k, BM) + thread_row);
      load_fragment(b, smem.b + Config::smem_row(k, BN) + thread_col);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] = gpu::fma(a[i], b[j], sum[i][j]);
      }
    }
    __syncthreads();  // everyone has read it before it is overwritten
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    store_outputs(g, block_row + thread_row + i, block_col + thread_col, sum[i], vector_stores);
  }
}

template <class T, class Config>
struct Plan {
  gemm::Operands<T> operands;
  gpu::LaunchShape shape;
  bool vector_stores;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Config>, shape, stream, operands, vector_stores);
  }
};

template <class T, class Config>
Plan<T, Config> prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= Config::TN;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return {g, {.grid = dim3(blocks), .block = dim3(Config::kThreads)}, vector_stores};
}

// Elements per load that both operands allow: K, the leading dimensions and the addresses decide.
template <class T>
int load_width(const gemm::Operands<T>& g) {
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, g.k));
}

}  // namespace smem_tiling

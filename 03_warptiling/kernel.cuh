#pragma once
// Chapter 03. A block computes a BM x BN tile of C, a warp WM x WN of it, a thread WMITER x WNITER
// pieces of TM x TN. Loads run ahead of the arithmetic: the next slice travels from global memory
// to registers, the next k-row from shared memory to registers, while the present ones are
// multiplied. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N) with N contiguous.


#include <gemm/operands.hpp>
#include <gemm/thread_map.hpp>
#include <gpu/convert.hpp>
#include <gpu/fma.hpp>
#include <gpu/launch.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <algorithm>

namespace warptiling {

inline constexpr const char* kName = "03_warptiling";

// For many outputs: 8 warps of 64 x 64, one block on an SM.
struct LargeTiles {
  static constexpr int BM = 128, BN = 256, BK = 8;
  static constexpr int WM = 64, WN = 64, WK = BK;
  static constexpr int WNITER = 4, TM = 4, TN = 4;
};

// For few outputs and a long K: small tiles, and on each four warps that share the k-rows of a
// slice.
struct SliceK {
  static constexpr int BM = 32, BN = 64, BK = 32;
  static constexpr int WM = 32, WN = 64, WK = 8;
  static constexpr int WNITER = 2, TM = 4, TN = 4;
};

// kVector: elements per global load (8: 128 bits).
template <class Tiles, int kVector_>
struct Config : Tiles {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WM, Tiles::WN, Tiles::WK;
  using Tiles::WNITER, Tiles::TM, Tiles::TN;
  static constexpr int kVector = kVector_;

  // A warp's tile is swept in WMITER x WNITER steps; at each its lanes cover WSUBM x WSUBN outputs.
  static constexpr int WMITER = WM * WN / (gpu::kWarpSize * TM * TN * WNITER);
  static constexpr int WSUBM = WM / WMITER, WSUBN = WN / WNITER;
  static_assert(WMITER >= 1 && (WSUBM / TM) * (WSUBN / TN) == gpu::kWarpSize);
  static_assert(BM % WM == 0 && BN % WN == 0 && BK % WK == 0 && WK % kVector == 0);

  static constexpr int kWarpsM = BM / WM, kWarpsN = BN / WN, kWarpsK = BK / WK;
  static constexpr int kThreads = kWarpsM * kWarpsN * kWarpsK * gpu::kWarpSize;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;

  // Floats left free after every kVector k-rows of a tile in shared memory. The lanes of a store
  // hold kChunks different vectors of a row; the skew sends each of them to its own banks. (A
  // multiple of 4, so that 128-bit loads stay aligned.)
  static constexpr int kChunks = BK / kVector;
  static constexpr int kSkew = kChunks == 1 ? 0 : std::max(4, 32 / kChunks);

  // Where k-row `k` of a tile with `length` columns starts, and the whole tile's size, in floats.
  static constexpr int smem_row(int k, int length) { return k * length + k / kVector * kSkew; }
  static constexpr int smem_size(int length) { return smem_row(BK, length); }
};

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

// Loads this thread's share of a tile that begins at (first_row, first_k) of `matrix`. What lies
// outside of rows x depth counts as zero.
template <class Map, int kVector, class T>
__device__ void load_tile(LoadFragment<T, Map, kVector>& fragment, const T* matrix,
                          int64_t leading_dimension, int first_row, int rows, int first_k,
                          int depth) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    const int row = first_row + Map::row(thread, i);
    const int k = first_k + Map::col(thread, i);
    // A vector is inside or outside as a whole: depth % kVector == 0.
    const bool inside = Map::holds(thread, i) && row < rows && k < depth;
    fragment[i] = gpu::load_global_if<kVector>(inside, matrix + row * leading_dimension + k);
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

// What a warp multiplies: one k-row of its tile of A and of B, and the sums they are added to.
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

// Adds up the sums of the warps that shared the slices, in shared memory that is free again. True
// for the threads that hold the total.
template <class Config>
__device__ bool reduce_slices(WarpTile<Config>& tile, float* smem) {
  constexpr int kThreads = Config::kThreads / Config::kWarpsK;  // that cover the block's tile once
  constexpr int kSums = sizeof(tile.sum) / sizeof(float);
  static_assert((Config::kWarpsK - 1) * kSums * kThreads * sizeof(float) <=
                sizeof(SharedStorage<Config>));
  const int part = static_cast<int>(threadIdx.x) / kThreads;
  const int thread = static_cast<int>(threadIdx.x) % kThreads;
  float* sum = &tile.sum[0][0][0][0];

  __syncthreads();  // no warp is still fetching from the stages that are overwritten now
  if (part > 0) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) smem[((part - 1) * kSums + i) * kThreads + thread] = sum[i];
  }
  __syncthreads();
  if (part > 0) return false;
#pragma unroll
  for (int other = 0; other < Config::kWarpsK - 1; ++other) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) sum[i] += smem[(other * kSums + i) * kThreads + thread];
  }
  return true;
}

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  constexpr int WM = Config::WM, WN = Config::WN, WK = Config::WK;
  constexpr int TM = Config::TM, TN = Config::TN;
  using MapA = typename Config::MapA;
  using MapB = typename Config::MapB;
  auto& smem = gpu::dynamic_smem<SharedStorage<Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;

  // Where my warp stands in the block's tile, and my lane in the warp's. Lanes stand in quads of
  // 2 x 2: each shares its a with the lane beside it and its b with the lane below, and the
  // hardware then serves a 128-bit shared load of the warp in two wavefronts instead of four.
  constexpr int kLanesN = Config::WSUBN / TN;
  const int warp = gpu::warp_index();
  const int warp_k = Config::kWarpsK == 1 ? 0 : warp / (Config::kWarpsM * Config::kWarpsN) * WK;
  const int warp_row = warp / Config::kWarpsN % Config::kWarpsM * WM;
  const int warp_col = warp % Config::kWarpsN * WN;
  const int lane = gpu::lane_index(), quad = lane / 4;
  const int lane_row = (quad / (kLanesN / 2) * 2 + lane / 2 % 2) * TM;
  const int lane_col = (quad % (kLanesN / 2) * 2 + lane % 2) * TN;

  LoadFragment<T, MapA, Config::kVector> next_a;
  LoadFragment<T, MapB, Config::kVector> next_b;
  WarpTile<Config> tile;

  load_tile<MapA, Config::kVector>(next_a, g.a, g.lda, block_row, g.m, 0, g.k);
  load_tile<MapB, Config::kVector>(next_b, g.b, g.ldb, block_col, g.n, 0, g.k);
  store_tile<Config, MapA, BM>(smem.stage[0].a, next_a);
  store_tile<Config, MapB, BN>(smem.stage[0].b, next_b);
  __syncthreads();

  // My part of k-row `k` of the slice in `stage`, on its way to registers.
  const int smem_a = Config::smem_row(warp_k, BM) + warp_row + lane_row;
  const int smem_b = Config::smem_row(warp_k, BN) + warp_col + lane_col;
  const auto load_row = [&](int buffer, int stage, int k) {
    tile.load(buffer, &smem.stage[stage].a[smem_a + Config::smem_row(k, BM)],
              &smem.stage[stage].b[smem_b + Config::smem_row(k, BN)]);
  };

  int stage = 0;
  load_row(0, stage, 0);
  for (int k0 = 0; k0 < g.k; k0 += BK) {
    // The next slice sets out for registers now and is needed only when this one is nearly done.
    load_tile<MapA, Config::kVector>(next_a, g.a, g.lda, block_row, g.m, k0 + BK, g.k);
    load_tile<MapB, Config::kVector>(next_b, g.b, g.ldb, block_col, g.n, k0 + BK, g.k);

#pragma unroll 1  // unrolled whole, the compiler would move the global loads down, behind this loop
    for (int k = 0; k < WK - 2; k += 2) {
      load_row(1, stage, k + 1);
      tile.multiply(0);
      load_row(0, stage, k + 2);
      tile.multiply(1);
    }
    load_row(1, stage, WK - 1);
    tile.multiply(0);

    stage ^= 1;
    store_tile<Config, MapA, BM>(smem.stage[stage].a, next_a);
    store_tile<Config, MapB, BN>(smem.stage[stage].b, next_b);
    __syncthreads();  // the next slice is complete, and no one reads the present one any more
    load_row(0, stage, 0);
    tile.multiply(1);
  }

  if constexpr (Config::kWarpsK > 1) {
    if (!reduce_slices<Config>(tile, reinterpret_cast<float*>(&smem))) return;
  }

#pragma unroll
  for (int i = 0; i < Config::WMITER; ++i) {
#pragma unroll
    for (int y = 0; y < TM; ++y) {
#pragma unroll
      for (int j = 0; j < Config::WNITER; ++j) {
        store_outputs(g, block_row + warp_row + i * Config::WSUBM + lane_row + y,
                      block_col + warp_col + j * Config::WSUBN + lane_col, tile.sum[i][y][j],
                      vector_stores);
      }
    }
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
  return {g,
          {.grid = dim3(blocks),
           .block = dim3(Config::kThreads),
           .dynamic_smem = sizeof(SharedStorage<Config>)},
          vector_stores};
}

// Elements per load that both operands allow: K, the leading dimensions and the addresses decide.
template <class T>
int load_width(const gemm::Operands<T>& g) {
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, g.k));
}

}  // namespace warptiling

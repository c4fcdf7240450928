#pragma once
// Beside chapter 03: slice-K. The warps of a block have the same outputs and divide the k-rows of
// every k-tile; at the end their accumulators are added up in shared memory. Loads, stores and what
// a warp multiplies are the lesson's. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N)
// with N contiguous.

#include "../plan.cuh"

namespace slice_k {

inline constexpr const char* kName = "slice_k";

// The four warps of a block share its tile: each multiplies 8 k-rows of every k-tile.
struct SharedTile {
  static constexpr int BM = 32, BN = 64, BK = 32;
  static constexpr int WM = 32, WN = 64, WK = 8;
  static constexpr int WNITER = 2, TM = 4, TN = 4;
};

// The same tile cut into four: each warp has its own outputs and multiplies all k-rows of a slice.
struct DividedTile {
  static constexpr int BM = 32, BN = 64, BK = 16;
  static constexpr int WM = 16, WN = 32, WK = 16;
  static constexpr int WNITER = 1, TM = 4, TN = 4;
};

// The lesson's configuration with a third number of warps: kWarpsK of them have the same outputs.
template <class Tiles, int kVector>
struct Config : warptiling::Config<Tiles, kVector> {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WK;
  static_assert(BK % WK == 0 && WK % kVector == 0 && WK % 2 == 0);

  static constexpr int kWarpsK = BK / WK;
  static constexpr int kThreadsOfTile = warptiling::Config<Tiles, kVector>::kThreads;
  static constexpr int kThreads = kThreadsOfTile * kWarpsK;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;
};

// Adds up the accumulators of the warps that shared the k-tiles, in shared memory that is free.
// True for the threads that hold the total.
template <class Config>
__device__ bool reduce_warps(warptiling::WarpTile<Config>& tile, float* smem) {
  constexpr int kThreads = Config::kThreadsOfTile;
  constexpr int kOutputs = sizeof(tile.sum) / sizeof(float);
  static_assert((Config::kWarpsK - 1) * kOutputs * kThreads * sizeof(float) <=
                sizeof(warptiling::SharedStorage<Config>));
  const int part = static_cast<int>(threadIdx.x) / kThreads;
  const int thread = static_cast<int>(threadIdx.x) % kThreads;
  float* sum = &tile.sum[0][0][0][0];

  __syncthreads();  // no warp is still fetching from the stages that are overwritten now
  if (part > 0) {
#pragma unroll
    for (int i = 0; i < kOutputs; ++i)
      smem[((part - 1) * kOutputs + i) * kThreads + thread] = sum[i];
  }
  __syncthreads();
  if (part > 0) return false;
#pragma unroll
  for (int other = 0; other < Config::kWarpsK - 1; ++other) {
#pragma unroll
    for (int i = 0; i < kOutputs; ++i) sum[i] += smem[(other * kOutputs + i) * kThreads + thread];
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
  auto& smem = gpu::dynamic_smem<warptiling::SharedStorage<Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;

  // The block's rows of A and of B, and its tile of C: clipped where the matrices end.
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, 0}, {BN, g.k});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  // Where my warp stands in the block's tile and in the k-rows of a k-tile, and my lane in the
  // warp's tile, in quads of 2 x 2.
  constexpr int kLanesN = Config::WSUBN / TN;
  const int warp = gpu::warp_index();
  const int warp_k = warp / (Config::kWarpsM * Config::kWarpsN) * WK;
  const int warp_row = warp / Config::kWarpsN % Config::kWarpsM * WM;
  const int warp_col = warp % Config::kWarpsN * WN;
  const int lane = gpu::lane_index(), quad = lane / 4;
  const int lane_row = (quad / (kLanesN / 2) * 2 + lane / 2 % 2) * TM;
  const int lane_col = (quad % (kLanesN / 2) * 2 + lane % 2) * TN;

  warptiling::LoadFragment<T, MapA, Config::kVector> next_a;
  warptiling::LoadFragment<T, MapB, Config::kVector> next_b;
  warptiling::WarpTile<Config> tile;

  // The slice that begins at `k0`, on its way to registers, and then to shared memory.
  const auto load_slice = [&](int k0) {
    warptiling::load_tile<Config, MapA>(next_a, a, k0);
    warptiling::load_tile<Config, MapB>(next_b, b, k0);
  };
  const auto store_slice = [&](int stage) {
    warptiling::store_tile<Config, MapA, BM>(smem.stage[stage].a, next_a);
    warptiling::store_tile<Config, MapB, BN>(smem.stage[stage].b, next_b);
  };

  // My part of my warp's k-row `k` of the slice in `stage`, on its way to registers.
  const int smem_a = Config::smem_row(warp_k, BM) + warp_row + lane_row;
  const int smem_b = Config::smem_row(warp_k, BN) + warp_col + lane_col;
  const auto load_row = [&](int buffer, int stage, int k) {
    tile.load(buffer, smem.stage[stage].a + smem_a + Config::smem_row(k, BM),
              smem.stage[stage].b + smem_b + Config::smem_row(k, BN));
  };

  load_slice(0);
  store_slice(0);
  load_slice(BK);
  __syncthreads();

  int stage = 0;
  load_row(0, stage, 0);
  for (int k0 = 0; k0 < g.k; k0 += BK) {
#pragma unroll 1
    for (int k = 0; k < WK - 2; k += 2) {
      load_row(1, stage, k + 1);
      tile.multiply(0);
      load_row(0, stage, k + 2);
      tile.multiply(1);
    }
    load_row(1, stage, WK - 1);
    tile.multiply(0);

    stage ^= 1;
    store_slice(stage);
    load_slice(k0 + 2 * BK);
    __syncthreads();  // the next slice is complete, and no one reads the present one any more
    load_row(0, stage, 0);
    tile.multiply(1);
  }

  if constexpr (Config::kWarpsK > 1) {
    if (!reduce_warps<Config>(tile, reinterpret_cast<float*>(&smem))) return;
  }

#pragma unroll
  for (int i = 0; i < Config::WMITER; ++i) {
#pragma unroll
    for (int y = 0; y < TM; ++y) {
#pragma unroll
      for (int j = 0; j < Config::WNITER; ++j) {
        warptiling::store_outputs(c, warp_row + i * Config::WSUBM + lane_row + y,
                                  warp_col + j * Config::WSUBN + lane_col, tile.sum[i][y][j],
                                  vector_stores);
      }
    }
  }
}

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= Config::TN;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(warptiling::SharedStorage<Config>)},
                           g, vector_stores);
}

}  // namespace slice_k

#pragma once
// Chapter 05's kernel with K split: blocks of a second dimension of the grid multiply a split of K
// each, so that few tiles of C keep many SMs busy. Their accumulators are added up in a workspace,
// and are added in the order of the splits: the same bits in every run.

#include "../kernel.cuh"

#include <gpu/global.hpp>

namespace split_k {

using namespace swizzle_pipeline;

inline constexpr const char* kName = "split_k";

// The k-tiles of a split. No split has more than one k-tile more than another; what K leaves of the
// last k-tile falls to the last split.
struct KRange {
  int first, end;
};
__device__ inline KRange k_range(int split, int splits, int k_tiles) {
  const auto begin = [&](int s) {
    return static_cast<int>(static_cast<int64_t>(s) * k_tiles / splits);
  };
  return {begin(split), begin(split + 1)};
}

// Multiplies the split blockIdx.y of the tile of C blockIdx.x. Returns where the warp's tile begins
// in C.
template <class T, class Config>
__device__ Coord multiply_split(WarpTile<T, Config>& tile, SharedStorage<T, Config>& smem,
                                const gemm::Operands<T>& g) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  const TileCoord coord = tile_coord<Config::kGroupRows>(
      static_cast<int>(blockIdx.x), gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN));
  const int block_row = coord.row * BM, block_col = coord.col * BN;
  const KRange range =
      k_range(static_cast<int>(blockIdx.y), static_cast<int>(gridDim.y), gemm::ceil_div(g.k, BK));
  const int first_k = range.first * BK, depth = (range.end - range.first) * BK;
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, first_k}, {BM, depth});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, first_k}, {BN, depth});

  const Coord warp = {gpu::warp_index() / Config::kWarpsN * Config::WM,
                      gpu::warp_index() % Config::kWarpsN * Config::WN};
  multiply_rows(tile, smem, a, b, warp);
  return {block_row + warp.row, block_col + warp.col};
}

// The first of two launches: a matrix (M, N) of fp32 for each split. `vector_stores`: N % 4 == 0.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, float* const workspace, const bool vector_stores) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  WarpTile<T, Config> tile;
  const Coord begin = multiply_split(tile, smem, g);
  float* const split = workspace + blockIdx.y * (static_cast<int64_t>(g.m) * g.n);
  const auto partials = gemm::row_major_view(split, g.m, g.n, g.n);

  const auto store = [&](int row, int col, const float(&values)[8]) {
    row += begin.row, col += begin.col;
    if (vector_stores && partials.contains(row, col + 7)) {
      for (int j = 0; j < 8; j += 4) {
        gpu::store_global(
            partials.at(row, col + j),
            core::AlignedVector<float, 4>{values[j], values[j + 1], values[j + 2], values[j + 3]});
      }
      return;
    }
    for (int j = 0; j < 8; ++j) {
      if (partials.contains(row, col + j)) partials(row, col + j) = values[j];
    }
  };
  store_accumulators<Config>(tile.sum, smem.c[gpu::warp_index()], store);
}

// The second: adds up the splits and rounds once. Blocks of kReduceThreads, a result each at a
// time.
inline constexpr int kReduceThreads = 256;
template <class T>
__global__ void __launch_bounds__(kReduceThreads)
    reduce_kernel(const gemm::Operands<T> g, const float* const workspace, const int splits) {
  const int64_t size = static_cast<int64_t>(g.m) * g.n;
  int64_t index = static_cast<int64_t>(blockIdx.x) * kReduceThreads + threadIdx.x;
  for (; index < size; index += static_cast<int64_t>(gridDim.x) * kReduceThreads) {
    float sum = 0.0f;
#pragma unroll 8
    for (int split = 0; split < splits; ++split) sum += workspace[split * size + index];
    g.c[index / g.n * g.ldc + index % g.n] = gpu::from_float<T>(sum);
  }
}

// The workspace of a single launch. `accumulators`: for every tile and split BM x BN
// accumulators, in the order in which threads hold them. `arrived`: for every tile, how many splits
// have left theirs; 0 before a launch and after it.
struct Workspace {
  float* accumulators;
  int* arrived;
};

// Leaves this block's accumulators. In the block that comes last: true, and `sum` holds those of
// all splits, added in the order of the splits, whoever came when.
template <class Config>
__device__ bool sum_of_splits(const Workspace& workspace,
                              float (&sum)[Config::kAtomsM][Config::kAtomsN][4]) {
  const int splits = static_cast<int>(gridDim.y);
  constexpr int kTile = Config::BM * Config::BN, kAtom = 4 * Config::kThreads;
  float* const first =
      workspace.accumulators + static_cast<int64_t>(blockIdx.x) * splits * kTile + 4 * threadIdx.x;
  const auto place = [&](int split, int i, int j) {
    return first + static_cast<int64_t>(split) * kTile + (i * Config::kAtomsN + j) * kAtom;
  };
#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
      const auto& four = sum[i][j];
      gpu::store_global(place(static_cast<int>(blockIdx.y), i, j),
                        core::AlignedVector<float, 4>{four[0], four[1], four[2], four[3]});
    }
  }

  bool& is_last = gpu::static_smem<bool>();
  __syncthreads();  // all of the block's accumulators are stored, before one thread counts them
  if (threadIdx.x == 0) {
    int* const arrived = workspace.arrived + blockIdx.x;
    is_last = gpu::semaphore_add(arrived, 1) == splits - 1;
    if (is_last) *arrived = 0;  // for the next launch
  }
  __syncthreads();  // all threads know, and the last block's see what the others have stored
  if (!is_last) return false;

#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
#pragma unroll
      for (float& one : sum[i][j]) one = 0.0f;
    }
  }
#pragma unroll 4
  for (int split = 0; split < splits; ++split) {
#pragma unroll
    for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kAtomsN; ++j) {
        const auto four = gpu::load_global_mutable<4>(place(split, i, j));
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] += four[e];
      }
    }
  }
  return true;
}

// One launch: the block that comes last to a tile of C stores it.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    fused_kernel(const gemm::Operands<T> g, const Workspace workspace, const bool vector_stores) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  WarpTile<T, Config> tile;
  const Coord begin = multiply_split(tile, smem, g);
  if (!sum_of_splits<Config>(workspace, tile.sum)) return;
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc);
  store_accumulators<Config>(
      tile.sum, smem.c[gpu::warp_index()], [&](int row, int col, const auto& values) {
        store_outputs(c, begin.row + row, begin.col + col, values, vector_stores);
      });
}

}  // namespace split_k

#pragma once
// Chapter 04's kernel for a B that is stored K x N, N contiguous. A row of 16 bytes in shared
// memory then holds 8 neighbours along n, and mma wants neighbours along k in a register:
// ldmatrix.trans transposes every 8 x 8 matrix on its way. C = A B^T, A (M, K) with K contiguous, B
// (N, K) with N contiguous, C (M, N) with N contiguous.

#include "../plan.cuh"

namespace n_major {

using namespace mma_ldmatrix;

inline constexpr const char* kName = "n_major";

// The lesson's, but for B's tile.
template <class Tiles, int kVector_, FragmentLoad kLoad_ = FragmentLoad::kLdmatrix>
struct Config : mma_ldmatrix::Config<Tiles, kVector_, kLoad_> {
  using Base = mma_ldmatrix::Config<Tiles, kVector_, kLoad_>;
  using Base::BK, Base::BN, Base::kThreads;

  // BK rows of BN neighbours. Eight threads store 16 bytes each of one row, in any order.
  struct TileB {
    static constexpr int kVector = kVector_;
    using Map = gemm::ThreadMap<BK, BN, kThreads, kVector>;
    static constexpr int kPitch = BN + 8;
    static constexpr int smem_offset(int k, int n) { return k * kPitch + n; }
    static constexpr int place(int thread) { return thread; }
  };
};

// The k and the first n that a lane points ldmatrix.x4.trans at. Of two atoms of B the second
// matrix lies 8 rows of k below the first, the third 8 columns to its right: as in A.
constexpr Coord row_of_b_transposed(int lane) {
  return row_of_a(lane);
}

// The k and the n of the first value that a lane holds of a matrix of B; the second is one row of k
// further down.
constexpr Coord pair_of_b_transposed(int lane) {
  return {pair_of(lane).col, pair_of(lane).row};
}

template <class T, class Config>
struct SharedStorage {
  using TileB = typename Config::TileB;
  struct Stage {
    alignas(16) T a[Config::BM * Config::kPitch];  // (BM, BK) K-major
    alignas(16) T b[Config::BK * TileB::kPitch];   // (BN, BK) N-major
  };
  Stage stage[2];
};

// Four 8 x 8 matrices of B, a register each, as the lesson's load_fragment of a K-major B has them.
template <class Config, class T>
__device__ void load_transposed(std::uint32_t (&fragment)[4], const T* smem) {
  if constexpr (Config::kLoad == FragmentLoad::kLdmatrix) {
    gpu::ldmatrix_trans(fragment, smem);
  } else {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const T* const low = smem + Config::TileB::smem_offset(r % 2 * 8, r / 2 * 8);
      const T* const high = low + Config::TileB::kPitch;
      core::AlignedVector<T, 2> pair = {};
      pair.set(0, gpu::load_shared<1>(low)[0]);
      pair.set(1, gpu::load_shared<1>(high)[0]);
      fragment[r] = pair.words[0];
    }
  }
}

template <class T, class Config>
struct WarpTile : mma_ldmatrix::WarpTile<T, Config> {
  __device__ void load(int buffer, const T* smem_a, const T* smem_b) {
    constexpr int kDown = 8 * Config::kPitch, kRight = 8;
#pragma unroll
    for (int i = 0; i < Config::kAtomsM; ++i) {
      load_fragment<Config::kLoad, kDown, kRight>(this->a[buffer][i],
                                                  smem_a + i * 16 * Config::kPitch);
    }
#pragma unroll
    for (int j = 0; j < Config::kAtomsN / 2; ++j) {
      load_transposed<Config>(this->b[buffer][j], smem_b + j * 16);
    }
  }
};

// The lesson's kernel; what is said there is not repeated.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  using MapA = typename Config::MapA;
  using TileB = typename Config::TileB;
  using MapB = typename TileB::Map;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.k, g.n, g.ldb).part({0, block_col}, {g.k, BN});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  const int warp_row = gpu::warp_index() / Config::kWarpsN * Config::WM;
  const int warp_col = gpu::warp_index() % Config::kWarpsN * Config::WN;
  const int lane = gpu::lane_index();
  const Coord lane_a = Config::kLds ? pair_of(lane) : row_of_a(lane);
  const Coord lane_b = Config::kLds ? pair_of_b_transposed(lane) : row_of_b_transposed(lane);

  LoadFragment<T, MapA, Config::kVector> next_a;
  LoadFragment<T, MapB, Config::kVector> next_b;
  WarpTile<T, Config> tile;

  const auto load_tiles = [&](int k0) {
    load_tile<Config, MapA>(next_a, a, k0);
    load_tile<TileB, MapB>(next_b, b.part({k0, 0}, {BK, BN}), 0);  // rows of k, columns of n
  };
  const auto store_tiles = [&](int stage) {
    store_tile<Config, MapA>(smem.stage[stage].a, next_a);
    store_tile<TileB, MapB>(smem.stage[stage].b, next_b);
  };
  load_tiles(0);
  store_tiles(0);
  load_tiles(BK);
  __syncthreads();

  const int smem_a = Config::smem_offset(warp_row + lane_a.row, lane_a.col);
  const int smem_b = TileB::smem_offset(lane_b.row, warp_col + lane_b.col);
  const auto load_step = [&](int buffer, int stage, int step) {
    tile.load(buffer, smem.stage[stage].a + smem_a + step * Config::MMA_K,
              smem.stage[stage].b + smem_b + TileB::smem_offset(step * Config::MMA_K, 0));
  };

  constexpr int kSteps = Config::kSteps;
  int stage = 0;
  load_step(0, stage, 0);
  for (int k0 = 0; k0 < g.k; k0 += BK) {
#pragma unroll 1
    for (int step = 0; step < kSteps - 2; step += 2) {
      load_step(1, stage, step + 1);
      tile.multiply(0);
      load_step(0, stage, step + 2);
      tile.multiply(1);
    }
    load_step(1, stage, kSteps - 1);
    tile.multiply(0);

    stage ^= 1;
    store_tiles(stage);
    load_tiles(k0 + 2 * BK);
    __syncthreads();
    load_step(0, stage, 0);
    tile.multiply(1);
  }

#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float pair[2] = {tile.sum[i][j][2 * half], tile.sum[i][j][2 * half + 1]};
        store_outputs(c, warp_row + i * 16 + half * 8 + pair_of(lane).row,
                      warp_col + j * 8 + pair_of(lane).col, pair, vector_stores);
      }
    }
  }
}

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= 2;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           g, vector_stores);
}

// Elements per load that both operands allow: A's rows have K elements, B's have N.
template <class T>
int load_width(const gemm::Operands<T>& g) {
  return std::min(gemm::widest_access(g.a, g.lda, g.k), gemm::widest_access(g.b, g.ldb, g.n));
}

}  // namespace n_major

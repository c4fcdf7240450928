#pragma once
// Chapter 04. A warp's tile of C consists of atoms of 16 x 8 that the tensor cores multiply:
// mma.sync m16n8k16. Shared memory holds tiles as they are, 16 bits per element; ldmatrix brings
// them to registers. C = A B^T, A (M, K) and B (N, K) K-major, C (M, N) with N contiguous.

#include "config.cuh"
#include "fragments.hpp"

#include <gemm/operands.hpp>
#include <gemm/tensor_view.hpp>
#include <gpu/convert.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/memory.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace mma_ldmatrix {

template <class T, class Config>
struct SharedStorage {
  struct Stage {
    alignas(128) T a[Config::BM * Config::kPitch];  // (BM, BK) K-major
    alignas(128) T b[Config::BN * Config::kPitch];  // (BN, BK) K-major
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
  const int thread = Config::place(static_cast<int>(threadIdx.x));
  const int k = first_k + Map::col(thread, 0);
  // One address and a step: an address for each vector would take the accumulators' registers.
  const T* from = matrix.at(Map::row(thread, 0), k);
  const int rows = k < matrix.extent(1) ? matrix.extent(0) : 0;
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i, from += matrix.ref.layout(Map::kDeltaStrided, 0)) {
    // A vector is inside or outside as a whole: K % kVector == 0.
    fragment[i] = gpu::load_global_if<kVector>(Map::row(thread, i) < rows, from);
  }
}

// Leaves it in `smem` as it came.
template <class Config, class Map, class T>
__device__ void store_tile(T* smem, const LoadFragment<T, Map, Config::kVector>& fragment) {
  const int thread = Config::place(static_cast<int>(threadIdx.x));
#pragma unroll
  for (int i = 0; i < Map::kIterations; ++i) {
    if (!Map::holds(thread, i)) continue;
    gpu::store_shared(smem + Config::smem_offset(Map::row(thread, i), Map::col(thread, i)),
                      fragment[i]);
  }
}

// Four 8 x 8 matrices, one to a register: the second lies kSecond elements behind the first, the
// third kThird. `smem`: the row that this lane points at; without ldmatrix, its first pair.
template <FragmentLoad kLoad, int kSecond, int kThird, class T>
__device__ void load_fragment(std::uint32_t (&fragment)[4], const T* smem) {
  if constexpr (kLoad == FragmentLoad::kLdmatrix) {
    gpu::ldmatrix(fragment, smem);
  } else {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      fragment[r] = gpu::load_shared<2>(smem + r % 2 * kSecond + r / 2 * kThird).words[0];
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
    constexpr int kDown = 8 * Config::kPitch, kRight = 8;  // from one 8 x 8 matrix to the next
#pragma unroll
    for (int i = 0; i < Config::kAtomsM; ++i) {
      load_fragment<Config::kLoad, kDown, kRight>(a[buffer][i], smem_a + i * 16 * Config::kPitch);
    }
#pragma unroll
    for (int j = 0; j < Config::kAtomsN / 2; ++j) {
      load_fragment<Config::kLoad, kRight, kDown>(b[buffer][j], smem_b + j * 16 * Config::kPitch);
    }
  }

  __device__ void multiply(int buffer) {
#pragma unroll
    for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kAtomsN; ++j) {
        const auto& two = b[buffer][j / 2];
        const std::uint32_t atom_b[2] = {two[j % 2 * 2], two[j % 2 * 2 + 1]};
        gpu::mma_m16n8k16<T>(sum[i][j], a[buffer][i], atom_b);
      }
    }
  }
};

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  using MapA = typename Config::MapA;
  using MapB = typename Config::MapB;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;

  // The block's rows of A and of B, and its tile of C: clipped where the matrices end.
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, 0}, {BN, g.k});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  // Where my warp stands in the block's tile.
  const int warp = gpu::warp_index();
  const int warp_row = warp / Config::kWarpsN * Config::WM;
  const int warp_col = warp % Config::kWarpsN * Config::WN;
  const int lane = gpu::lane_index();
  const Coord lane_a = Config::kLds ? pair_of(lane) : row_of_a(lane);
  const Coord lane_b = Config::kLds ? pair_of(lane) : row_of_b(lane);

  LoadFragment<T, MapA, Config::kVector> next_a;
  LoadFragment<T, MapB, Config::kVector> next_b;
  WarpTile<T, Config> tile;

  // The slice that begins at `k0`, on its way to registers, and then to shared memory.
  const auto load_slice = [&](int k0) {
    load_tile<Config, MapA>(next_a, a, k0);
    load_tile<Config, MapB>(next_b, b, k0);
  };
  const auto store_slice = [&](int stage) {
    store_tile<Config, MapA>(smem.stage[stage].a, next_a);
    store_tile<Config, MapB>(smem.stage[stage].b, next_b);
  };
  // My part of step `step` of the slice in `stage`, on its way to registers.
  const int smem_a = Config::smem_offset(warp_row + lane_a.row, lane_a.col);
  const int smem_b = Config::smem_offset(warp_col + lane_b.row, lane_b.col);
  const auto load_step = [&](int buffer, int stage, int step) {
    tile.load(buffer, smem.stage[stage].a + smem_a + step * Config::MMA_K,
              smem.stage[stage].b + smem_b + step * Config::MMA_K);
  };

  load_slice(0);
  store_slice(0);
  load_slice(BK);
  __syncthreads();

  int stage = 0;
  load_step(0, stage, 0);
  for (int k0 = 0; k0 < g.k; k0 += BK) {
#pragma unroll 1
    for (int step = 0; step < Config::kSteps - 2; step += 2) {
      load_step(1, stage, step + 1);
      tile.multiply(0);
      load_step(0, stage, step + 2);
      tile.multiply(1);
    }
    load_step(1, stage, Config::kSteps - 1);
    tile.multiply(0);

    stage ^= 1;
    store_slice(stage);
    // The slice after the next sets out as soon as its registers are free: it has a whole slice's
    // time. Behind the barrier the compiler could move these loads down to where they are needed.
    load_slice(k0 + 2 * BK);
    __syncthreads();  // the next slice is complete, and no one reads the present one any more
    load_step(0, stage, 0);
    tile.multiply(1);
  }

#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {  // of an atom's rows
        const float pair[2] = {tile.sum[i][j][2 * half], tile.sum[i][j][2 * half + 1]};
        store_outputs(c, warp_row + i * 16 + half * 8 + pair_of(lane).row,
                      warp_col + j * 8 + pair_of(lane).col, pair, vector_stores);
      }
    }
  }
}

}  // namespace mma_ldmatrix

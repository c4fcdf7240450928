#pragma once
// A small kernel for tensor cores the Ampere way, C = A B^T: cp.async into a ring of three stages,
// ldmatrix, mma.sync. Four warps of 32 x 32 results each. `bug` plants one.

#include "runners.hpp"

#include <gpu/convert.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/memory.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

namespace gallery {

struct Ampere {
  static constexpr int kTile = 64;   // rows of A and of B per block
  static constexpr int kDepth = 32;  // columns per stage
  static constexpr int kPitch = 40;  // elements from row to row: ldmatrix without bank conflicts
  static constexpr int kStages = 3;
  static constexpr int kThreads = 128;
};

template <class T>
struct AmpereShared {
  alignas(16) T a[Ampere::kStages][Ampere::kTile][Ampere::kPitch];
  alignas(16) T b[Ampere::kStages][Ampere::kTile][Ampere::kPitch];
};

// The tile of 64 rows from `first_row` on and 32 columns from `first_k` on; zeros outside of the
// (rows, k) matrix. k is a multiple of 8.
template <Bug bug, class T>
__device__ void copy_tile(T (&to)[Ampere::kTile][Ampere::kPitch], const T* from, int first_row,
                          int rows, int first_k, int k) {
  constexpr int kPieces = Ampere::kDepth / 8;  // of 16 bytes, per row
  for (int piece = static_cast<int>(threadIdx.x); piece < Ampere::kTile * kPieces;
       piece += Ampere::kThreads) {
    const int row = piece / kPieces, column = piece % kPieces * 8;
    const bool valid = first_row + row < rows && first_k + column < k;
    const T* source = from + static_cast<long long>(first_row + row) * k + (first_k + column);
    gpu::cp_async_if<16>(valid, &to[row][column + (bug == Bug::kCopyUnaligned ? 4 : 0)], source);
  }
}

// Grid (N / 64, M / 64) rounded up, blocks of 128. A (M, K), B (N, K), C (M, N), packed.
template <Bug bug, class T>
__global__ void __launch_bounds__(Ampere::kThreads)
    ampere_kernel(const T* a, const T* b, T* c, int m, int n, int k) {
  constexpr int kStages = Ampere::kStages, kDepth = Ampere::kDepth;
  auto& smem = gpu::dynamic_smem<AmpereShared<T>>();
  const int row = static_cast<int>(blockIdx.y) * Ampere::kTile;
  const int column = static_cast<int>(blockIdx.x) * Ampere::kTile;
  const int warp = gpu::warp_index(), lane = gpu::lane_index();
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  const int k_tiles = (k + kDepth - 1) / kDepth;

  const auto load = [&](int i) {
    if (i < k_tiles) {
      copy_tile<bug>(smem.a[i % kStages], a, row, m, i * kDepth, k);
      copy_tile<bug>(smem.b[i % kStages], b, column, n, i * kDepth, k);
      if constexpr (bug == Bug::kCommitInIf) gpu::cp_async_commit();
    }
    if constexpr (bug != Bug::kCommitInIf) gpu::cp_async_commit();
  };
  for (int i = 0; i < kStages - 1; ++i) load(i);

  float acc[2][4][4] = {};  // 2 x 4 atoms of 16 x 8
  for (int i = 0; i < k_tiles; ++i) {
    load(i + kStages - 1);
    if constexpr (bug != Bug::kNoCopyWait) gpu::cp_async_wait<kStages - 1>();
    if constexpr (bug != Bug::kNoSyncBefore) __syncthreads();
    const auto& tile_a = smem.a[i % kStages];
    const auto& tile_b = smem.b[i % kStages];
    for (int step = 0; step < kDepth; step += 16) {
      std::uint32_t fragment_a[2][4], fragment_b[4][2];
      for (int atom = 0; atom < 2; ++atom) {
        const int first = bug == Bug::kLdmatrixRow ? lane % 8 + lane / 16 * 8 : lane % 16;
        const int second = bug == Bug::kLdmatrixRow ? lane / 8 % 2 * 8 : lane / 16 * 8;
        gpu::ldmatrix(fragment_a[atom], &tile_a[warp_row + 16 * atom + first][step + second]);
      }
      for (int pair = 0; pair < 2; ++pair) {  // one ldmatrix feeds two atoms
        std::uint32_t both[4];
        const int first = lane % 8 + lane / 16 * 8, second = lane / 8 % 2 * 8;
        gpu::ldmatrix(both, &tile_b[warp_column + 16 * pair + first][step + second]);
        for (int i4 = 0; i4 < 4; ++i4) fragment_b[2 * pair + i4 / 2][i4 % 2] = both[i4];
      }
      for (int atom = 0; atom < 2; ++atom) {
        for (int j = 0; j < 4; ++j) {
          gpu::mma_m16n8k16<T>(acc[atom][j], fragment_a[atom], fragment_b[j]);
        }
      }
    }
    if constexpr (bug != Bug::kNoSyncAfter) __syncthreads();
  }
  gpu::cp_async_wait_all();

  for (int atom = 0; atom < 2; ++atom) {
    for (int j = 0; j < 4; ++j) {
      for (int half = 0; half < 2; ++half) {
        const int to_row = row + warp_row + 16 * atom + lane / 4 + 8 * half;
        const int to_column = column + warp_column + 8 * j + lane % 4 * 2;
        const auto pair = gpu::from_float<T>(acc[atom][j][2 * half], acc[atom][j][2 * half + 1]);
        T* to = c + static_cast<long long>(to_row) * n + to_column;
        if (to_row < m && to_column < n) to[0] = pair[0];
        if (to_row < m && to_column + 1 < n) to[1] = pair[1];
      }
    }
  }
}

}  // namespace gallery

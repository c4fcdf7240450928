#pragma once
// Chapter 01. Three nested loops: the two outer ones become the grid, the inner one stays in the
// thread. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N) with N contiguous.

#include <gemm/operands.hpp>
#include <gpu/convert.hpp>
#include <gpu/fma.hpp>
#include <gpu/launch.hpp>
#include <gpu/shuffle.hpp>
#include <gpu/thread.hpp>

namespace naive {

inline constexpr const char* kName = "01_naive";

// How the outputs of C are dealt to the threads. A block owns kBlockRows x kBlockCols outputs, a
// warp kWarpRows x kWarpCols of them, and kLanesPerOutput lanes share the K loop of one output.

// A warp lies along a row of C: its lanes read one row of A and 32 rows of B.
struct Strided {
  static constexpr int kWarpRows = 1, kWarpCols = 32, kLanesPerOutput = 1;
  static constexpr int kBlockRows = 8, kBlockCols = 32;
};

// A warp covers 4 x 8 outputs: 4 rows of A and 8 rows of B.
struct Square {
  static constexpr int kWarpRows = 4, kWarpCols = 8, kLanesPerOutput = 1;
  static constexpr int kBlockRows = 16, kBlockCols = 16;
};

// A warp owns one output: neighbouring lanes read neighbouring elements of one row of A and one of
// B.
struct Coalesced {
  static constexpr int kWarpRows = 1, kWarpCols = 1, kLanesPerOutput = 32;
  static constexpr int kBlockRows = 2, kBlockCols = 4;
};

template <class Mapping>
inline constexpr int kThreads = Mapping::kBlockRows* Mapping::kBlockCols* Mapping::kLanesPerOutput;

template <class T, class Mapping>
__global__ void __launch_bounds__(kThreads<Mapping>) gemm_kernel(const gemm::Operands<T> g) {
  constexpr int kWarpsAlongN = Mapping::kBlockCols / Mapping::kWarpCols;
  constexpr int kLanesPerOutput = Mapping::kLanesPerOutput;

  // Which output is mine: first the block's tile, then the warp's, then the lane's.
  const int tiles_n = gemm::ceil_div(g.n, Mapping::kBlockCols);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * Mapping::kBlockRows;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * Mapping::kBlockCols;
  const int warp = static_cast<int>(threadIdx.x) / gpu::kWarpSize;
  const int output = gpu::lane_index() / kLanesPerOutput;
  const int row =
      block_row + warp / kWarpsAlongN * Mapping::kWarpRows + output / Mapping::kWarpCols;
  const int col =
      block_col + warp % kWarpsAlongN * Mapping::kWarpCols + output % Mapping::kWarpCols;
  if (row >= g.m || col >= g.n) return;  // with shared outputs, a whole warp leaves or stays

  const T* a_row = g.a + row * g.lda;
  const T* b_row = g.b + col * g.ldb;
  float sum = 0.0f;
  for (int k = gpu::lane_index() % kLanesPerOutput; k < g.k; k += kLanesPerOutput) {
    sum = gpu::fma(gpu::to_float(a_row[k]), gpu::to_float(b_row[k]), sum);
  }

  for (int step = kLanesPerOutput / 2; step > 0; step /= 2) sum += gpu::shuffle_xor(sum, step);
  if (gpu::lane_index() % kLanesPerOutput == 0) g.c[row * g.ldc + col] = gpu::from_float<T>(sum);
}

template <class T, class Mapping>
struct Plan {
  gemm::Operands<T> operands;
  gpu::LaunchShape shape;

  void run(gpu::Stream stream) const {
    gpu::launch(gemm_kernel<T, Mapping>, shape, stream, operands);
  }
};

template <class T, class Mapping>
Plan<T, Mapping> prepare(const gemm::Problem& problem) {
  const auto g = gemm::plain_operands<T>(problem, kName);
  const unsigned blocks =
      gemm::tile_count(g.m, g.n, Mapping::kBlockRows, Mapping::kBlockCols, kName);
  return {g, {.grid = dim3(blocks), .block = dim3(kThreads<Mapping>)}};
}

}  // namespace naive

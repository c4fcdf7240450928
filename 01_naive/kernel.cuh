#pragma once
// Chapter 01. Three nested loops: the two outer ones become the grid, the inner one stays in the
// thread. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N) with N contiguous.

#include <gemm/operands.hpp>
#include <gemm/tensor_view.hpp>
#include <gpu/convert.hpp>
#include <gpu/fma.hpp>
#include <gpu/shuffle.hpp>
#include <gpu/thread.hpp>

namespace naive {

inline constexpr const char* kName = "01_naive";

// How the outputs of C are distributed over the threads: a block owns BM x BN of them, and
// kLanesPerOutput neighbouring lanes share the K loop of one.

// A warp lies along a row of C: its lanes read one row of A and 32 rows of B.
struct Strided {
  static constexpr int BM = 8, BN = 32, kLanesPerOutput = 1;
  static constexpr int kThreads = BM * BN * kLanesPerOutput;
};

// A warp owns one output: neighbouring lanes read neighbouring elements of one row of A and one of
// B.
struct Coalesced {
  static constexpr int BM = 2, BN = 4, kLanesPerOutput = 32;
  static constexpr int kThreads = BM * BN * kLanesPerOutput;
};

template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads) gemm_kernel(const gemm::Operands<T> g) {
  constexpr int BM = Config::BM, BN = Config::BN;
  constexpr int kLanesPerOutput = Config::kLanesPerOutput;
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda);
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb);
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc);

  // Which output is mine: first the block's tile, then the thread's place in it.
  const int tiles_n = gemm::ceil_div(g.n, BN);
  const int block_row = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int block_col = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const int output = static_cast<int>(threadIdx.x) / kLanesPerOutput;
  const int row = block_row + output / BN;
  const int col = block_col + output % BN;
  if (!c.contains(row, col)) return;  // with shared outputs, a whole warp leaves or stays

  const T* a_row = a.at(row, 0);
  const T* b_row = b.at(col, 0);
  float sum = 0.0f;
  for (int k = gpu::lane_index() % kLanesPerOutput; k < g.k; k += kLanesPerOutput) {
    sum = gpu::fma(gpu::to_float(a_row[k]), gpu::to_float(b_row[k]), sum);
  }

  for (int step = kLanesPerOutput / 2; step > 0; step /= 2) sum += gpu::shuffle_xor(sum, step);
  if (gpu::lane_index() % kLanesPerOutput == 0) c(row, col) = gpu::from_float<T>(sum);
}

}  // namespace naive

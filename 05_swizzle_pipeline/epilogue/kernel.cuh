#pragma once
// Chapter 05's kernel with an epilogue of one's own: C = op(A B^T), where op sees each accumulator
// in fp32, before it is rounded. What an op is: gemm::EpilogueOp.

#include "../plan.cuh"

#include <gemm/epilogue_op.hpp>

namespace epilogue {

using namespace swizzle_pipeline;

inline constexpr const char* kName = "epilogue";

// kCount neighbouring results of one row, at once where C allows it. `column`: what op reads for
// the block's columns.
template <int kCount, class T, gemm::EpilogueOp Op>
__device__ void store_outputs(const gemm::MatrixView<T>& c, int row, int col,
                              const float (&values)[kCount], bool vector_stores, const Op& op,
                              const T* column) {
  const bool whole = vector_stores && c.contains(row, col + kCount - 1);
  core::AlignedVector<T, kCount> old{}, out{};
  if constexpr (Op::kReadsC) {
    if (whole) old = gpu::load_global_mutable<kCount>(c.at(row, col));
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (!whole && !c.contains(row, col + j)) continue;
    float old_c = 0.0f, of_column = 0.0f;
    if constexpr (Op::kReadsC) old_c = gpu::to_float(whole ? old[j] : c(row, col + j));
    if constexpr (Op::kReadsColumn) of_column = gpu::to_float(column[col + j]);
    const T result = gpu::from_float<T>(op(values[j], old_c, of_column));
    if (whole) {
      out.set(j, result);
    } else {
      c(row, col + j) = result;
    }
  }
  if (whole) gpu::store_global(c.at(row, col), out);
}

// The lesson's kernel, but for the last line.
template <class T, class Config, gemm::EpilogueOp Op>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const bool vector_stores, const Op op) {
  constexpr int BM = Config::BM, BN = Config::BN;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const TileCoord coord = tile_coord<Config::kGroupRows>(
      static_cast<int>(blockIdx.x), gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN));
  const int block_row = coord.row * BM, block_col = coord.col * BN;
  const auto a = gemm::row_major_view(g.a, g.m, g.k, g.lda).part({block_row, 0}, {BM, g.k});
  const auto b = gemm::row_major_view(g.b, g.n, g.k, g.ldb).part({block_col, 0}, {BN, g.k});
  const auto c = gemm::row_major_view(g.c, g.m, g.n, g.ldc).part({block_row, block_col}, {BM, BN});

  const int warp = gpu::warp_index();
  const int warp_row = warp / Config::kWarpsN * Config::WM;
  const int warp_col = warp % Config::kWarpsN * Config::WN;
  WarpTile<T, Config> tile;
  multiply_rows(tile, smem, a, b, {warp_row, warp_col});

  const T* column = nullptr;
  if constexpr (Op::kReadsColumn) column = op.column + block_col;
  store_accumulators<Config>(tile.sum, smem.c[warp], [&](int row, int col, const auto& values) {
    store_outputs(c, warp_row + row, warp_col + col, values, vector_stores, op, column);
  });
}

template <class T, class Config, class Op>
auto prepare(const gemm::Operands<T>& g, const Op& op) {
  const bool vector_stores = gemm::widest_access(g.c, g.ldc, 0) >= Config::kStoreWidth;
  const unsigned blocks = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  return gemm::launch_plan(gemm_kernel<T, Config, Op>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           g, vector_stores, op);
}

// Calls use(op) with the op that the problem asks for.
template <class T, class Use>
auto with_op(const gemm::Epilogue& wanted, Use use) {
  using enum gemm::EpilogueKind;
  if (wanted.kind == kIdentity) return use(gemm::Identity{});
  if (wanted.kind == kBiasRelu) return use(gemm::BiasRelu<T>{static_cast<const T*>(wanted.bias)});
  if (wanted.beta == 0.0f) return use(gemm::Scale{wanted.alpha});
  return use(gemm::AlphaBeta{wanted.alpha, wanted.beta});
}

}  // namespace epilogue

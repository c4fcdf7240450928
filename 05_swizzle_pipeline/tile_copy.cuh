#pragma once
// From global to shared memory without passing through registers.

#include <gemm/operands.hpp>
#include <gemm/tensor_view.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/memory.hpp>

#include <cstdint>

namespace swizzle_pipeline {

// What a thread copies of every tile of one operand. Rows behind the matrix's end become zeros, and
// so does what lies behind its last column.
template <class T, class Config, class Map>
struct TileCopy {
  const T* source;   // of the first row
  int64_t next_row;  // elements from one of this thread's rows to the next
  int rows;          // of these rows, how many the matrix has
  int col;           // first column of this thread within a tile
  int depth;

  __device__ explicit TileCopy(const gemm::MatrixView<const T>& matrix)
      : next_row(matrix.ref.layout(Map::kDeltaStrided, 0)),
        col(Map::col(static_cast<int>(threadIdx.x), 0)),
        depth(matrix.extent(1)) {
    static_assert(Map::kIterationsContiguous == 1);
    const int row = Map::row(static_cast<int>(threadIdx.x), 0);
    source = matrix.at(row, col);
    rows = row < matrix.extent(0) ? gemm::ceil_div(matrix.extent(0) - row, Map::kDeltaStrided) : 0;
  }

  // Sends the tile that begins in column `first_k` on its way.
  __device__ void issue(T* smem, int first_k) const {
    constexpr int kBytes = Config::kVector * sizeof(T);
    const int thread = static_cast<int>(threadIdx.x);
    // A vector is inside or outside as a whole: K % kVector == 0.
    const int inside = first_k + col < depth ? rows : 0;
#pragma unroll
    for (int i = 0; i < Map::kIterations; ++i) {
      if (!Map::holds(thread, i)) continue;
      T* const to = smem + Config::smem_offset(Map::row(thread, i), col);
      const T* const from = source + first_k + i * next_row;
      if constexpr (kBytes >= 4) {
        gpu::cp_async_if<kBytes>(i < inside, to, from);
      } else {  // 16 bits are too few for cp.async
        *to = gpu::load_global_if<1>(i < inside, from)[0];
      }
    }
  }
};

}  // namespace swizzle_pipeline

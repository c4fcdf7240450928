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
  const T* source;   // of the first row of the next tile
  int64_t next_row;  // elements from one of this thread's rows to the next
  int rows;          // of these rows, how many the matrix has
  int k;             // first column of this thread in the next tile
  int depth;

  __device__ TileCopy(const gemm::MatrixView<const T>& matrix, int first_k)
      : next_row(matrix.ref.layout(Map::kDeltaStrided, 0)),
        k(first_k + Map::col(static_cast<int>(threadIdx.x), 0)),
        depth(matrix.extent(1)) {
    static_assert(Map::kIterationsContiguous == 1);
    const int row = Map::row(static_cast<int>(threadIdx.x), 0);
    source = matrix.at(row, k);
    rows = row < matrix.extent(0) ? gemm::ceil_div(matrix.extent(0) - row, Map::kDeltaStrided) : 0;
  }

  // Sends the next tile on its way.
  __device__ void issue(T* smem) {
    constexpr int kBytes = Config::kVector * sizeof(T);
    const int thread = static_cast<int>(threadIdx.x);
    // A vector is inside or outside as a whole: K % kVector == 0.
    const int inside = k < depth ? rows : 0;
#pragma unroll
    for (int i = 0; i < Map::kIterations; ++i) {
      if (!Map::holds(thread, i)) continue;
      T* const to = smem + Config::smem_offset(Map::row(thread, i), Map::col(thread, i));
      const T* const from = source + i * next_row;
      if constexpr (kBytes >= 4) {
        gpu::cp_async_if<kBytes>(i < inside, to, from);
      } else {  // 16 bits are too few for cp.async
        *to = gpu::load_global_if<1>(i < inside, from)[0];
      }
    }
    source += Config::BK;
    k += Config::BK;
  }
};

}  // namespace swizzle_pipeline

#pragma once
// What a warp does with 8x8 matrices in one instruction: ldmatrix, stmatrix, mma.sync.

#include <runtime/site.hpp>

#include <cstdint>

namespace runtime {

// PTX ldmatrix.xN[.trans] / stmatrix.xN[.trans] on behalf of the running thread; all 32 lanes.
void load_matrices(std::uint32_t* out, const void* row, int count, bool transposed, Site where);
void store_matrices(void* row, const std::uint32_t* in, int count, bool transposed, Site where);

// PTX mma.sync.m16n8k16: d[4] += a[4] * b[2].
void multiply_m16n8k16(float* d, const std::uint32_t* a, const std::uint32_t* b, bool bf16,
                       Site where);

// d (rows, columns) += a (rows, 16) b (16, columns), all row-major; rows a multiple of 4, columns
// of 8. Each element adds its 16 products in order.
void multiply_by_16(float* d, const float* a, const float* b, int rows, int columns);

}  // namespace runtime

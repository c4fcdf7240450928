#pragma once
// The arithmetic of tensor cores.

namespace runtime {

// d (rows, columns) += a (rows, 16) b (16, columns), all row-major; rows a multiple of 4, columns
// of 8. Each element adds its 16 products in order.
void multiply_by_16(float* d, const float* a, const float* b, int rows, int columns);

}  // namespace runtime

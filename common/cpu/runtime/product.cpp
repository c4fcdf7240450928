#include <runtime/product.hpp>

#include <core/vector_clones.hpp>

#include <cstring>

namespace runtime {

// Eight neighbours, added and multiplied element by element.
using Eight [[gnu::vector_size(32)]] = float;

CORE_VECTOR_CLONES
void multiply_by_16(float* d, const float* a, const float* b, int rows, int columns) {
  constexpr int kRows = 4;  // at a time: each value of B serves them all
  for (int row = 0; row < rows; row += kRows) {
    for (int column = 0; column < columns; column += 8) {
      float* out = d + row * columns + column;
      Eight sum[kRows];
      for (int i = 0; i < kRows; ++i) std::memcpy(&sum[i], out + i * columns, sizeof sum[i]);
      for (int k = 0; k < 16; ++k) {
        Eight values;
        std::memcpy(&values, b + k * columns + column, sizeof values);
        for (int i = 0; i < kRows; ++i) sum[i] += a[(row + i) * 16 + k] * values;
      }
      for (int i = 0; i < kRows; ++i) std::memcpy(out + i * columns, &sum[i], sizeof sum[i]);
    }
  }
}

}  // namespace runtime

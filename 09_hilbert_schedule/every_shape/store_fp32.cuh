#pragma once
// From accumulators to a C of fp32: stored at once, as they are.

#include "output.cuh"

#include <core/numeric.hpp>
#include <gpu/global.hpp>

#include <algorithm>

namespace every_shape {

// Stores kCount neighbouring accumulators of a row, or what an op that reads C makes of them, at
// (row, col) of C: as much as C has.
template <int kCount, class Op>
__device__ void store_fp32(const Output<float>& c, const Op& op,
                           const float (&accumulators)[kCount], int row, int col) {
  if (row >= c.m) return;
  float* const target = c.data + row * c.leading_dimension + col;
  const auto result = [&](int i) {
    if constexpr (Op::kReadsC) return op(accumulators[i], target[i], 0.0f);
    return accumulators[i];
  };
  using Access = core::AlignedVector<float, std::min(kCount, 4)>;
  if (c.width < Access::kSize || col + kCount > c.n) {
    for (int i = 0; i < kCount && col + i < c.n; ++i) target[i] = result(i);
    return;
  }
#pragma unroll
  for (int first = 0; first < kCount; first += Access::kSize) {
    Access out;
#pragma unroll
    for (int i = 0; i < Access::kSize; ++i) out.words[i] = result(first + i);
    gpu::store_global_streaming(target + first, out);
  }
}

}  // namespace every_shape

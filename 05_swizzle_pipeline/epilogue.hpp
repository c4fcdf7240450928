#pragma once
// What happens to a result on its way to C. An epilogue is a small type: copy one, change one line.

#include <gpu/convert.hpp>

namespace swizzle_pipeline {

// Called for every result: `sum` is the accumulator, `old` what C holds now (0 unless kReadsC),
// `col` its column. What it returns is rounded to C's type.
struct Identity {
  static constexpr bool kReadsC = false;

  __device__ float operator()(float sum, float /*old*/, int /*col*/) const { return sum; }
};

// alpha * sum + beta * C. With beta = 0, C is not read: it may hold anything, NaN included.
struct Scale {
  static constexpr bool kReadsC = false;
  float alpha;

  __device__ float operator()(float sum, float /*old*/, int /*col*/) const { return alpha * sum; }
};
struct AlphaBeta {
  static constexpr bool kReadsC = true;
  float alpha, beta;

  __device__ float operator()(float sum, float old, int /*col*/) const {
    return alpha * sum + beta * old;
  }
};

// max(sum + bias[col], 0), as a linear layer needs it. A NaN stays one.
template <class T>
struct BiasRelu {
  static constexpr bool kReadsC = false;
  const T* bias;

  __device__ float operator()(float sum, float /*old*/, int col) const {
    const float value = sum + gpu::to_float(bias[col]);
    return value < 0.0f ? 0.0f : value;
  }
};

}  // namespace swizzle_pipeline

#pragma once
// What happens to a result on its way to C. A functor is a small type: copy one, change one line.

#include <gpu/fma.hpp>

namespace hilbert_schedule {

// Called for every result: `sum` is what was summed up, `old` what C holds now (0 unless kReadsC),
// `of_column` the element of `column`, N of T, for its column (0 unless kReadsColumn). What it
// returns is rounded to C's type.
struct Identity {
  static constexpr bool kReadsC = false, kReadsColumn = false;

  __device__ float operator()(float sum, float /*old*/, float /*of_column*/) const { return sum; }
};

// alpha * sum + beta * C. With beta = 0, C is not read: it may hold anything, NaN included.
struct Scale {
  static constexpr bool kReadsC = false, kReadsColumn = false;
  float alpha;

  __device__ float operator()(float sum, float /*old*/, float /*of_column*/) const {
    return alpha * sum;
  }
};
struct AlphaBeta {
  static constexpr bool kReadsC = true, kReadsColumn = false;
  float alpha, beta;

  __device__ float operator()(float sum, float old, float /*of_column*/) const {
    return alpha * sum + beta * old;
  }
};

// max(sum + bias, 0), as a linear layer needs it. A NaN stays one.
template <class T>
struct BiasRelu {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  const T* column;

  __device__ float operator()(float sum, float /*old*/, float of_column) const {
    return gpu::max_or_nan(sum + of_column, 0.0f);
  }
};

}  // namespace hilbert_schedule

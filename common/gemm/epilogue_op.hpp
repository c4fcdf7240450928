#pragma once
// What happens to an accumulator on its way to C. An EpilogueOp is a small type: copy one, change
// one line.

#include <gpu/fma.hpp>

#include <concepts>

namespace gemm {

// op(accumulator, old_c, of_column) for every element of C; the result is rounded to C's type.
//   accumulator  of A B^T, fp32
//   old_c        what C holds before the launch; 0 unless kReadsC
//   of_column    op.column[n], N elements of T; 0 unless kReadsColumn
template <class Op>
concept EpilogueOp = requires(const Op& op, float value) {
  { op(value, value, value) } -> std::same_as<float>;
  { +Op::kReadsC } -> std::convertible_to<bool>;
  { +Op::kReadsColumn } -> std::convertible_to<bool>;
};

struct Identity {
  static constexpr bool kReadsC = false, kReadsColumn = false;

  __device__ float operator()(float accumulator, float /*old_c*/, float /*of_column*/) const {
    return accumulator;
  }
};

// alpha * accumulator + beta * C. With beta = 0, C is not read: it may hold anything, NaN included.
struct Scale {
  static constexpr bool kReadsC = false, kReadsColumn = false;
  float alpha;

  __device__ float operator()(float accumulator, float /*old_c*/, float /*of_column*/) const {
    return alpha * accumulator;
  }
};
struct AlphaBeta {
  static constexpr bool kReadsC = true, kReadsColumn = false;
  float alpha, beta;

  __device__ float operator()(float accumulator, float old_c, float /*of_column*/) const {
    return alpha * accumulator + beta * old_c;
  }
};

// max(accumulator + bias, 0), as a linear layer needs it. A NaN stays one.
template <class T>
struct BiasRelu {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  const T* column;

  __device__ float operator()(float accumulator, float /*old_c*/, float of_column) const {
    return gpu::max_or_nan(accumulator + of_column, 0.0f);
  }
};

}  // namespace gemm

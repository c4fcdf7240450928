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

// activation(accumulator + bias), as linear layers need it. A NaN stays one.
template <class T, class Activation>
struct WithBias {
  static constexpr bool kReadsC = false, kReadsColumn = true;
  const T* column;

  __device__ float operator()(float accumulator, float /*old_c*/, float of_column) const {
    return Activation{}(accumulator + of_column);
  }
};
struct NoActivation {
  __device__ float operator()(float x) const { return x; }
};
struct Relu {
  __device__ float operator()(float x) const { return gpu::max_or_nan(x, 0.0f); }
};
struct Silu {  // x / (1 + exp(-x))
  __device__ float operator()(float x) const { return x * gpu::sigmoid(x); }
};
// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). (1 + tanh u) / 2 is the sigmoid of 2 u.
struct Gelu {
  __device__ float operator()(float x) const {
    constexpr float kTwice = 1.5957691f;
    return x * gpu::sigmoid(kTwice * x * (1.0f + 0.044715f * x * x));
  }
};
template <class T>
using Bias = WithBias<T, NoActivation>;
template <class T>
using BiasRelu = WithBias<T, Relu>;
template <class T>
using BiasGelu = WithBias<T, Gelu>;
template <class T>
using BiasSilu = WithBias<T, Silu>;

}  // namespace gemm

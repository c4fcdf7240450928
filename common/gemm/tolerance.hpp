#pragma once
// How far a right result may lie from the fp64 reference: the one place that says so.

#include <gemm/element.hpp>
#include <gemm/inputs.hpp>

#include <algorithm>
#include <cmath>

namespace gemm {

// Half a unit in the last place of `type` for results of this magnitude: the largest error of
// rounding to nearest. Constant below the smallest normal number.
inline double half_unit(DataType type, double magnitude) {
  int fraction_bits = 23, least_exponent = -126;
  if (type == DataType::kBf16) fraction_bits = 7;
  if (type == DataType::kFp16) fraction_bits = 10, least_exponent = -14;
  const int exponent = magnitude > 0 ? std::ilogb(magnitude) : least_exponent;
  return std::ldexp(1.0, std::max(exponent, least_exponent) - fraction_bits - 1);
}

// A kernel adds K products in fp32, in an order of its own, and rounds the sum once to C's type:
//
//   allowed = accumulation + rounding
//   rounding     = half a unit in the last place of C's type, at the largest value the sum can have
//   accumulation = 2 * eps * K^(3/2) * rms(a) * rms(b) * |alpha|, eps = 2^-23
//
// Why K^(3/2). The products of random zero-mean operands have magnitude rms(a) rms(b), so after k
// of them, in any order not chosen by looking at them, the partial sum is about sqrt(k) rms(a)
// rms(b). Each addition errs by at most eps times that: half of it when rounding to nearest, all of
// it when bits are cut off as tensor cores do (every product of a group is cut to the position of
// the largest term, which is the partial sum or a product). Cut-off errors all point toward zero
// and add up:
//   sum over k of (eps/2) sqrt(k) rms rms = (1/3) eps K^(3/2) rms(a) rms(b) on average,
// and a sum that stays six standard deviations out all the way, which the unluckiest of 10^9
// entries does, collects 1.7 instead of 1/3. The factor is 2. Rounding to nearest stays far below:
// its errors cancel. Summing in chunks (split-K, one mma at a time) shortens the chain and stays
// below too.
//
// What it still catches: one product a[k] b[k] that is missing or counted twice is off by 1/4 on
// average for uniform data, while accumulation is 0.00004 at K = 64 and 0.17 at K = 16384; a bf16 C
// adds 0.008 and 0.125. The epilogue adds a few roundings in fp32: 4 eps times the magnitude of the
// terms alpha * sum, beta * c, bias.
struct Tolerance {
  bool exact;  // integer operands: C must equal the reference rounded to nearest even
  DataType c_type;
  double accumulation;
  double addend = 0;  // largest magnitude that the epilogue adds

  // For C computed from operands that fill_matrix made.
  static Tolerance of(const Problem& p, Values values, int range) {
    const bool uniform = values == Values::kUniform;
    const double largest = uniform ? 1.0 : range;
    const double mean_square = uniform ? 1.0 / 3.0 : range * (range + 1) / 3.0;
    const double k = static_cast<double>(p.k);
    Tolerance t = {.exact = values == Values::kIntegers,
                   .c_type = p.c_type,
                   .accumulation = 2 * kEps * k * std::sqrt(k) * mean_square};
    if (p.epilogue.kind == EpilogueKind::kAlphaBeta) {
      t.accumulation *= std::fabs(p.epilogue.alpha);
      t.addend = std::fabs(p.epilogue.beta) * largest;
    }
    if (p.epilogue.adds_bias()) t.addend = largest;
    if (p.epilogue.is_smooth()) t.exact = false, t.accumulation *= 1.2;  // the steepest slope
    return t;
  }

  // What |computed - expected| may be where the reference says `expected`. 0 when exact.
  double allowed(double expected) const {
    if (exact) return 0;
    const double magnitude = std::fabs(expected);
    double before_rounding = accumulation;
    if (addend > 0) before_rounding += 4.0 * kEps * (magnitude + 2 * addend);
    return before_rounding + half_unit(c_type, magnitude + before_rounding);
  }

  // The reference as a right C stores it: rounded to C's type when exact, unchanged otherwise.
  double target(double expected) const {
    if (!exact) return expected;
    return dispatch_any_type(
        c_type, [&]<class T>() { return to_double(narrow<T>(static_cast<float>(expected))); });
  }

 private:
  static constexpr double kEps = 0x1p-23;
};

}  // namespace gemm

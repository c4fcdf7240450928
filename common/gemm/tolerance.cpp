#include <gemm/tolerance.hpp>

#include <gemm/element.hpp>

#include <algorithm>
#include <cmath>

namespace gemm {
namespace {

constexpr double kEps = 0x1p-23;
constexpr double kAccumulation = 2.0;
constexpr double kEpilogueRoundings = 4.0;

}  // namespace

double half_unit(DataType type, double magnitude) {
  int fraction_bits = 23, least_exponent = -126;
  if (type == DataType::kBf16) fraction_bits = 7;
  if (type == DataType::kFp16) fraction_bits = 10, least_exponent = -14;
  const int exponent = magnitude > 0 ? std::ilogb(magnitude) : least_exponent;
  return std::ldexp(1.0, std::max(exponent, least_exponent) - fraction_bits - 1);
}

Tolerance Tolerance::of(const Problem& p, Values values, int range) {
  Tolerance t;
  t.exact_ = values == Values::kIntegers;
  t.c_type_ = p.c_type;
  const double rms = root_mean_square(values, range);
  const double k = static_cast<double>(p.k);
  t.accumulation_ = kAccumulation * kEps * k * std::sqrt(k) * rms * rms;
  const double largest = values == Values::kUniform ? 1.0 : range;
  if (p.epilogue.kind == EpilogueKind::kAlphaBeta) {
    t.accumulation_ *= std::fabs(p.epilogue.alpha);
    t.addend_ = std::fabs(p.epilogue.beta) * largest;
  }
  if (p.epilogue.kind == EpilogueKind::kBiasRelu) t.addend_ = largest;
  return t;
}

double Tolerance::allowed(double expected) const {
  if (exact_) return 0;
  const double magnitude = std::fabs(expected);
  double before_rounding = accumulation_;
  if (addend_ > 0) before_rounding += kEpilogueRoundings * kEps * (magnitude + 2 * addend_);
  return before_rounding + half_unit(c_type_, magnitude + before_rounding);
}

double Tolerance::target(double expected) const {
  if (!exact_) return expected;
  return dispatch_any_type(
      c_type_, [&]<class T>() { return to_double(narrow<T>(static_cast<float>(expected))); });
}

double Tolerance::allowed_between(double one, double other) const {
  return 2 * allowed(std::max(std::fabs(one), std::fabs(other)));
}

}  // namespace gemm

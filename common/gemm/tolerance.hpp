#pragma once
// How far a right result may lie from the fp64 reference: the one place that says so.

#include <gemm/inputs.hpp>
#include <gemm/problem.hpp>

namespace gemm {

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
// What it still catches: one product a[k] b[k] that is missing or counted twice is off by up to 1
// for uniform data, 1/4 on average, while accumulation is 0.00004 at K = 64 and 0.17 at K = 16384;
// a bf16 C adds 0.008 and 0.125. So a k that a tile of C loses is caught in that tile at every K up
// to there.
//
// The epilogue adds a few roundings in fp32 of the terms alpha * sum, beta * c, bias: 4 eps times
// their magnitude.
class Tolerance {
 public:
  // For C computed from operands that fill_matrix made.
  static Tolerance of(const Problem& problem, Values values, int range);

  // Integer operands: no tolerance; C must equal the reference rounded to nearest even.
  bool exact() const { return exact_; }

  // What |computed - expected| may be where the reference says `expected`. 0 when exact.
  double allowed(double expected) const;

  // The reference as a right C stores it: rounded to C's type when exact, unchanged otherwise.
  double target(double expected) const;

  // For two computed C's held against each other: both may err.
  double allowed_between(double one, double other) const;

 private:
  bool exact_ = false;
  DataType c_type_ = DataType::kFp32;
  double accumulation_ = 0;
  double addend_ = 0;  // largest magnitude that the epilogue adds
};

// Half a unit in the last place of `type` for results of this magnitude: the largest error of
// rounding to nearest. Constant below the smallest normal number.
double half_unit(DataType type, double magnitude);

}  // namespace gemm

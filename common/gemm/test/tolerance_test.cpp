// Both sides of the tolerance: every way to sum that a kernel may choose passes, a single product
// lost or counted twice does not.

#include "fake_kernel.hpp"

#include <gemm/tolerance.hpp>
#include <gemm/verify.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace {

using gemm::DataType;
using gemm::HostOperands;
using gemm::Problem;
using gemm::Tolerance;
using gemm::Values;

// x + y in fp32 with the excess bits cut off. The sum is exact in double or its error is far below
// half a unit of the result.
float add_cut(float x, float y) {
  const double exact = static_cast<double>(x) + y;
  float near = static_cast<float>(exact);
  if (std::fabs(static_cast<double>(near)) > std::fabs(exact)) near = std::nextafterf(near, 0.0f);
  return near;
}

// One step of a tensor core: the accumulator and 16 products, all cut to the position of the last
// bit of the largest among them, then added exactly and cut to fp32.
float add_group_cut(float sum, const float* products, std::size_t count) {
  float largest = std::fabs(sum);
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(products[i]));
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 23);
  double total = std::trunc(sum / unit);
  for (std::size_t i = 0; i < count; ++i) total += std::trunc(products[i] / unit);
  return add_cut(static_cast<float>(0), static_cast<float>(std::trunc(total) * unit));
}

float pairwise(const float* products, std::size_t count) {
  if (count == 1) return products[0];
  return pairwise(products, count / 2) + pairwise(products + count / 2, count - count / 2);
}

struct Order {
  const char* name;
  std::function<float(const std::vector<float>&)> sum;
};

const Order kOrders[] = {
    {"one after another",
     [](const std::vector<float>& x) {
       float sum = 0;
       for (const float v : x) sum += v;
       return sum;
     }},
    {"pairwise", [](const std::vector<float>& x) { return pairwise(x.data(), x.size()); }},
    {"32 lanes",
     [](const std::vector<float>& x) {
       std::vector<float> lanes(32, 0.0f);
       for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 32] += x[i];
       return pairwise(lanes.data(), 32);
     }},
    {"tensor core, 16 at a time, bits cut off",
     [](const std::vector<float>& x) {
       float sum = 0;
       for (std::size_t i = 0; i < x.size(); i += 16) {
         sum = add_group_cut(sum, &x[i], std::min<std::size_t>(16, x.size() - i));
       }
       return sum;
     }},
    {"split in 5, bits cut off",
     [](const std::vector<float>& x) {
       const std::size_t part = (x.size() + 4) / 5;
       float sum = 0;
       for (std::size_t first = 0; first < x.size(); first += part) {
         float partial = 0;
         for (std::size_t i = first; i < std::min(x.size(), first + part); ++i) {
           partial = add_cut(partial, x[i]);
         }
         sum += partial;
       }
       return sum;
     }},
};

Problem problem_of(std::int64_t size, std::int64_t k, DataType type, DataType c_type) {
  Problem p = gemm::packed_problem(size, size, k, type);
  p.c_type = c_type;
  return p;
}

constexpr std::pair<DataType, DataType> kTypes[] = {{DataType::kBf16, DataType::kBf16},
                                                    {DataType::kFp16, DataType::kFp16},
                                                    {DataType::kFp16, DataType::kFp32}};

}  // namespace

TEST_CASE("any order of summation passes") {
  for (const std::int64_t k : {1, 2, 3, 8, 64, 1000, 16384}) {
    const std::int64_t size = k > 4096 ? 24 : 64;
    for (const auto& [type, c_type] : kTypes) {
      for (const Values values : {Values::kUniform, Values::kIntegers}) {
        const HostOperands operands = make_operands(problem_of(size, k, type, c_type), values, 11);
        std::vector<float> products(static_cast<std::size_t>(k));
        std::vector<fake::Output> outputs(std::size(kOrders), fake::Output(operands));
        for (std::int64_t row = 0; row < size; ++row) {
          for (std::int64_t col = 0; col < size; ++col) {
            for (std::int64_t i = 0; i < k; ++i) {
              products[static_cast<std::size_t>(i)] = fake::product(operands.problem, row, col, i);
            }
            for (std::size_t i = 0; i < std::size(kOrders); ++i) {
              outputs[i].set(row, col, kOrders[i].sum(products));
            }
          }
        }
        for (std::size_t i = 0; i < std::size(kOrders); ++i) {
          const gemm::Report report = verify(operands, outputs[i].data());
          INFO("K = " << k << ", C " << gemm::name(c_type) << ", " << kOrders[i].name);
          INFO(describe(report)[0]);
          CHECK(report.ok());
        }
      }
    }
  }
}

TEST_CASE("one k lost or counted twice in one 16x8 fragment is caught") {
  for (const std::int64_t k : {64, 256, 1024, 4096, 16384}) {
    for (const auto& [type, c_type] : kTypes) {
      for (const Values values : {Values::kUniform, Values::kIntegers}) {
        const HostOperands operands = make_operands(problem_of(64, k, type, c_type), values, 12);
        const std::vector<double> right = gemm::reference(operands.problem);
        for (const std::int64_t lost : {std::int64_t{0}, k / 3, k - 1}) {
          for (const int sign : {-1, 1}) {
            fake::Output out(operands);
            for (std::int64_t row = 0; row < 64; ++row) {
              for (std::int64_t col = 0; col < 64; ++col) {
                double sum = right[static_cast<std::size_t>(row * 64 + col)];
                const bool in_fragment = row / 16 == 2 && col / 8 == 5;
                if (in_fragment) sum += sign * fake::product(operands.problem, row, col, lost);
                out.set(row, col, sum);
              }
            }
            INFO("K = " << k << ", C " << gemm::name(c_type) << ", k = " << lost << ", " << sign);
            const gemm::Report report = verify(operands, out.data());
            CHECK(!report.ok());
            REQUIRE(report.first);
            CHECK(report.first->at.row / 16 == 2);
            CHECK(report.first->at.col / 8 == 5);
          }
        }
      }
    }
  }
}

TEST_CASE("a bf16 accumulator is not good enough") {
  const HostOperands operands =
      make_operands(problem_of(64, 256, DataType::kBf16, DataType::kBf16), Values::kUniform, 13);
  fake::Output out(operands);
  for (std::int64_t row = 0; row < 64; ++row) {
    for (std::int64_t col = 0; col < 64; ++col) {
      float sum = 0;
      for (std::int64_t k = 0; k < 256; ++k) {
        const float next = sum + fake::product(operands.problem, row, col, k);
        sum = core::to_float(core::from_float<core::bf16>(next));
      }
      out.set(row, col, sum);
    }
  }
  CHECK(verify(operands, out.data()).wrong > 500);
}

TEST_CASE("integer results are compared after rounding to nearest even") {
  // K = 1024, |a|, |b| <= 8: sums up to 65536 that need up to 17 bits, of which bf16 has 8.
  const HostOperands operands =
      make_operands(problem_of(64, 1024, DataType::kBf16, DataType::kBf16), Values::kIntegers, 14);
  const std::vector<double> right = gemm::reference(operands.problem);
  fake::Output even(operands), cut(operands), away(operands);
  int ties = 0, inexact = 0;
  for (std::int64_t row = 0; row < 64; ++row) {
    for (std::int64_t col = 0; col < 64; ++col) {
      const float sum = static_cast<float>(right[static_cast<std::size_t>(row * 64 + col)]);
      const auto toward_zero = core::from_float<core::bf16, core::Rounding::kTowardZero>(sum);
      const auto tie_away = core::from_float<core::bf16, core::Rounding::kToNearestAway>(sum);
      even.set(row, col, sum);
      cut.set(row, col, core::to_float(toward_zero));
      away.set(row, col, core::to_float(tie_away));
      inexact += cut.get(row, col) != even.get(row, col);
      ties += away.get(row, col) != even.get(row, col);
    }
  }
  CHECK(verify(operands, even.data()).ok());
  CHECK(verify(operands, cut.data()).wrong == inexact);
  CHECK(verify(operands, away.data()).wrong == ties);
  CHECK(inexact > 500);
  CHECK(ties > 20);
}

TEST_CASE("epilogues widen the tolerance by what they add") {
  Problem p = problem_of(8, 64, DataType::kBf16, DataType::kFp32);
  const double plain = Tolerance::of(p, Values::kUniform, 0).allowed(1.0);
  p.epilogue.kind = gemm::EpilogueKind::kAlphaBeta;
  p.epilogue.alpha = -3.0f;
  CHECK(Tolerance::of(p, Values::kUniform, 0).allowed(1.0) == Approx(3 * plain).epsilon(0.01));
  p.epilogue.beta = 1000.0f;
  CHECK(Tolerance::of(p, Values::kUniform, 0).allowed(1.0) > 4 * 1000 * 0x1p-23);
  CHECK(Tolerance::of(p, Values::kUniform, 0).allowed(1.0) < 0.01);
  CHECK(Tolerance::of(p, Values::kIntegers, 8).allowed(1.0) == 0);
}

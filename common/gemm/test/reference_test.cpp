// Operands: ranges, padding, independence of layout; and the fp64 reference of them against the
// plainest loops there are.

#include <gemm/element.hpp>
#include <gemm/inputs.hpp>
#include <gemm/reference.hpp>

#include <core/error.hpp>
#include <test/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using gemm::DataType;
using gemm::Epilogue;
using gemm::EpilogueKind;
using gemm::HostOperands;
using gemm::Major;
using gemm::Problem;
using gemm::Values;

constexpr DataType kBf16 = DataType::kBf16, kFp16 = DataType::kFp16, kFp32 = DataType::kFp32;

double at(const Problem& p, const void* data, std::int64_t ld, Major major, std::int64_t row,
          std::int64_t k) {
  return gemm::load_element(p.type, data, major == Major::kK ? row * ld + k : k * ld + row);
}

double naive_entry(const Problem& p, std::int64_t row, std::int64_t col) {
  double sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    sum += at(p, p.a, p.lda, p.a_major, row, k) * at(p, p.b, p.ldb, p.b_major, col, k);
  }
  if (p.epilogue.kind == EpilogueKind::kAlphaBeta) {
    sum = p.epilogue.alpha * sum;
    if (p.epilogue.beta != 0) {
      sum += p.epilogue.beta * gemm::load_element(p.c_type, p.c, row * p.ldc + col);
    }
  }
  if (p.epilogue.adds_bias()) sum += gemm::load_element(p.type, p.epilogue.bias, col);
  if (p.epilogue.kind == EpilogueKind::kBiasRelu) sum = std::max(0.0, sum);
  if (p.epilogue.kind == EpilogueKind::kBiasSilu) sum *= 1 / (1 + std::exp(-sum));
  if (p.epilogue.kind == EpilogueKind::kBiasGelu) {  // by the logistic function
    sum /= 1 + std::exp(-1.5957691216057308 * sum * (1 + 0.044715 * sum * sum));
  }
  return sum;
}

struct Case {
  DataType type, c_type;
  Major a, b;
  Epilogue epilogue = {};
};
constexpr Epilogue kRelu = {.kind = EpilogueKind::kBiasRelu};
constexpr Epilogue kScaled = {.kind = EpilogueKind::kAlphaBeta, .alpha = 1.5f, .beta = 0.0f};
constexpr Epilogue kAdded = {.kind = EpilogueKind::kAlphaBeta, .alpha = 1.5f, .beta = -0.5f};
constexpr Case kCases[] = {
    {kBf16, kBf16, Major::kK, Major::kK},         {kFp16, kFp16, Major::kK, Major::kMn},
    {kBf16, kFp32, Major::kMn, Major::kK},        {kBf16, kBf16, Major::kK, Major::kK, kScaled},
    {kBf16, kBf16, Major::kK, Major::kK, kAdded}, {kFp16, kFp16, Major::kK, Major::kMn, kAdded},
    {kFp16, kFp32, Major::kK, Major::kK, kAdded}, {kFp16, kFp32, Major::kMn, Major::kMn, kRelu},
    {kBf16, kBf16, Major::kK, Major::kK, kRelu},
};

}  // namespace

TEST_CASE("the reference, whole and by entry, is what plain loops compute") {
  const Case c = GENERATE(from_range(std::begin(kCases), std::end(kCases)));
  const Values values = GENERATE(Values::kUniform, Values::kIntegers);
  // More than one block and k-step, and not a multiple of either; and hardly anything.
  for (const auto& [m, n, k] : {std::array{67, 130, 259}, {1, 5, 3}, {3, 4, 0}, {0, 4, 5}}) {
    Problem shape = gemm::packed_problem(m, n, k, c.type);
    shape.c_type = c.c_type;
    shape.a_major = c.a;
    shape.b_major = c.b;
    shape.lda = (c.a == Major::kK ? k : m) + 3;
    shape.ldb = (c.b == Major::kK ? k : n) + 1;
    shape.ldc = n + 5;
    shape.epilogue = c.epilogue;
    const HostOperands operands = make_operands(shape, values, 7);
    const Problem& p = operands.problem;
    std::vector<gemm::Entry> entries;
    for (int i = 0; i < m * n; ++i) entries.push_back({i / n, i % n});
    const std::vector<double> whole = gemm::reference(p), some = gemm::reference(p, entries);
    REQUIRE(whole.size() == entries.size());
    // All sum in double, in the same order or another: they agree to a few units of 2^-53.
    const double slack = 1e-14 * (1.0 + k) * std::max(1, operands.range * operands.range);
    int wrong = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const double expected = naive_entry(p, entries[i].row, entries[i].col);
      wrong += !(std::fabs(whole[i] - expected) <= slack && std::fabs(some[i] - expected) <= slack);
    }
    INFO(p.shape() << ", " << gemm::name(c.type) << ", " << gemm::name(c.c_type));
    CHECK(wrong == 0);
  }
}

TEST_CASE("the same matrix under every layout, another under every seed") {
  const Values values = GENERATE(Values::kUniform, Values::kIntegers);
  Problem p = gemm::packed_problem(37, 21, 53, kFp16);
  const HostOperands packed = make_operands(p, values, 5), other = make_operands(p, values, 6);
  p.lda = 64;
  p.a_major = Major::kMn;
  const HostOperands columns = make_operands(p, values, 5);
  int different = 0, moved = 0;
  for (int i = 0; i < 37 * 53; ++i) {
    const double value = gemm::load_element(kFp16, packed.a.data(), i);
    moved += value != gemm::load_element(kFp16, columns.a.data(), i % 53 * 64 + i / 53);
    different += value != gemm::load_element(kFp16, other.a.data(), i);
  }
  CHECK((moved == 0 && different > 37 * 53 * 8 / 10));
}

TEST_CASE("padding of inputs is NaN, and C where the epilogue does not read it") {
  Problem p = gemm::packed_problem(5, 6, 7, kBf16);
  p.lda = 9;
  p.ldc = 10;
  p.c_type = GENERATE(kBf16, kFp16, kFp32);
  p.epilogue = GENERATE(Epilogue{}, kScaled, kAdded);
  const HostOperands o = make_operands(p, Values::kUniform, 1);
  for (int i = 0; i < gemm::stored_a(p).elements(); ++i) {
    CHECK(std::isnan(gemm::load_element(p.type, o.a.data(), i)) == (i % 9 >= 7));
  }
  for (int i = 0; i < gemm::stored_c(p).elements(); ++i) {
    const bool read = i % 10 < 6 && p.epilogue.beta != 0;
    CHECK(std::isnan(gemm::load_element(p.c_type, o.c.data(), i)) == !read);
  }
}

TEST_CASE("integer ranges keep every sum exact") {
  CHECK(gemm::integer_range(0, kBf16) == 8);
  CHECK(gemm::integer_range(1 << 18, kBf16) == 8);
  CHECK(gemm::integer_range((1 << 18) + 1, kBf16) == 7);
  CHECK(gemm::integer_range(1 << 24, kBf16) == 1);
  CHECK_THROWS_AS(gemm::integer_range((1 << 24) + 1, kBf16), core::Refused);
  CHECK(gemm::integer_range(1 << 18, kFp16) == 6);
}

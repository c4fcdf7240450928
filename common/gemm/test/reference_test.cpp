// The fp64 reference against the plainest loops there are.

#include <gemm/element.hpp>
#include <gemm/inputs.hpp>
#include <gemm/reference.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace {

using gemm::DataType;
using gemm::EpilogueKind;
using gemm::HostOperands;
using gemm::Major;
using gemm::Problem;
using gemm::Values;

double operand_at(DataType type, const void* data, std::int64_t ld, Major major, std::int64_t row,
                  std::int64_t k) {
  return gemm::load_element(type, data, major == Major::kK ? row * ld + k : k * ld + row);
}

double naive_entry(const Problem& p, std::int64_t row, std::int64_t col) {
  double sum = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    sum += operand_at(p.type, p.a, p.lda, p.a_major, row, k) *
           operand_at(p.type, p.b, p.ldb, p.b_major, col, k);
  }
  if (p.epilogue.kind == EpilogueKind::kAlphaBeta) {
    sum = p.epilogue.alpha * sum;
    if (p.epilogue.beta != 0) {
      sum += p.epilogue.beta * gemm::load_element(p.c_type, p.c, row * p.ldc + col);
    }
  }
  if (p.epilogue.kind == EpilogueKind::kBiasRelu) {
    sum += gemm::load_element(p.type, p.epilogue.bias, col);
    if (sum < 0) sum = 0;
  }
  return sum;
}

void check_against_naive(const HostOperands& operands) {
  const Problem& p = operands.problem;
  const std::vector<double> whole = gemm::reference(p);
  REQUIRE(whole.size() == static_cast<std::size_t>(p.m * p.n));
  std::vector<gemm::Entry> entries;
  for (std::int64_t row = p.m - 1; row >= 0; row -= 3) {
    for (std::int64_t col = 0; col < p.n; col += 2) entries.push_back({row, col});
  }
  const std::vector<double> some = gemm::reference(p, entries);
  REQUIRE(some.size() == entries.size());

  // Both sum in double, in the same order or another: they agree to a few units of 2^-53.
  const double slack = 1e-14 * (1.0 + static_cast<double>(p.k)) *
                       std::max(1.0, static_cast<double>(operands.range * operands.range));
  bool all_close = true;
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t col = 0; col < p.n; ++col) {
      const double got = whole[static_cast<std::size_t>(row * p.n + col)];
      all_close = all_close && std::fabs(got - naive_entry(p, row, col)) <= slack;
    }
  }
  CHECK(all_close);
  bool some_close = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    some_close =
        some_close && std::fabs(some[i] - naive_entry(p, entries[i].row, entries[i].col)) <= slack;
  }
  CHECK(some_close);
}

Problem strided(std::int64_t m, std::int64_t n, std::int64_t k, DataType type, Major a, Major b) {
  Problem p = gemm::packed_problem(m, n, k, type);
  p.a_major = a;
  p.b_major = b;
  p.lda = (a == Major::kK ? k : m) + 3;
  p.ldb = (b == Major::kK ? k : n) + 1;
  p.ldc = n + 5;
  return p;
}

}  // namespace

TEST_CASE("every major and type, ragged and strided") {
  for (const DataType type : {DataType::kBf16, DataType::kFp16}) {
    for (const Major a : {Major::kK, Major::kMn}) {
      for (const Major b : {Major::kK, Major::kMn}) {
        for (const Values values : {Values::kUniform, Values::kIntegers}) {
          // More than one block and k-step, and not a multiple of either.
          check_against_naive(make_operands(strided(67, 130, 259, type, a, b), values, 7));
          check_against_naive(make_operands(strided(1, 5, 3, type, a, b), values, 8));
        }
      }
    }
  }
}

TEST_CASE("every epilogue and type of C") {
  for (const DataType c_type : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
    for (const float beta : {0.0f, -0.5f}) {
      Problem p = strided(33, 65, 40, DataType::kBf16, Major::kK, Major::kK);
      p.c_type = c_type;
      p.epilogue.kind = EpilogueKind::kAlphaBeta;
      p.epilogue.alpha = 1.5f;
      p.epilogue.beta = beta;
      check_against_naive(make_operands(p, Values::kUniform, 9));
    }
    Problem p = strided(33, 65, 40, DataType::kFp16, Major::kK, Major::kMn);
    p.c_type = c_type;
    p.epilogue.kind = EpilogueKind::kBiasRelu;
    const HostOperands operands = make_operands(p, Values::kUniform, 10);
    check_against_naive(operands);
    const std::vector<double> c = gemm::reference(operands.problem);
    CHECK(std::count(c.begin(), c.end(), 0.0) > 100);   // the ReLU did something,
    CHECK(std::count(c.begin(), c.end(), 0.0) < 2000);  // but not everything
  }
}

TEST_CASE("empty sums and empty results") {
  const HostOperands no_k =
      make_operands(gemm::packed_problem(3, 4, 0, DataType::kBf16), Values::kUniform, 1);
  CHECK(gemm::reference(no_k.problem) == std::vector<double>(12, 0.0));
  const HostOperands no_m =
      make_operands(gemm::packed_problem(0, 4, 5, DataType::kBf16), Values::kUniform, 1);
  CHECK(gemm::reference(no_m.problem).empty());
  CHECK(gemm::reference(no_m.problem, {}).empty());
}

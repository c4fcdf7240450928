// What make_operands promises: ranges, padding, independence of layout, determinism.

#include <gemm/element.hpp>
#include <gemm/inputs.hpp>

#include <core/error.hpp>
#include <test/catch.hpp>

#include <cmath>
#include <cstring>
#include <map>

namespace {

using gemm::DataType;
using gemm::HostOperands;
using gemm::Major;
using gemm::Problem;
using gemm::Values;

double a_at(const HostOperands& o, std::int64_t row, std::int64_t k) {
  const Problem& p = o.problem;
  return gemm::load_element(p.type, p.a,
                            p.a_major == Major::kK ? row * p.lda + k : k * p.lda + row);
}

}  // namespace

TEST_CASE("the same matrix under every layout, seed and order") {
  for (const Values values : {Values::kUniform, Values::kIntegers}) {
    Problem p = gemm::packed_problem(37, 21, 53, DataType::kFp16);
    const HostOperands packed = make_operands(p, values, 5);
    p.lda = 64;
    const HostOperands padded = make_operands(p, values, 5);
    p.a_major = Major::kMn;
    const HostOperands columns = make_operands(p, values, 5);
    const HostOperands other_seed = make_operands(p, values, 6);
    int different = 0;
    bool same = true;
    for (std::int64_t row = 0; row < 37; ++row) {
      for (std::int64_t k = 0; k < 53; ++k) {
        same = same && a_at(packed, row, k) == a_at(padded, row, k) &&
               a_at(packed, row, k) == a_at(columns, row, k);
        different += a_at(packed, row, k) != a_at(other_seed, row, k);
      }
    }
    CHECK(same);
    CHECK(different > 37 * 53 * 8 / 10);
  }
}

TEST_CASE("padding of inputs and all of C is NaN") {
  Problem p = gemm::packed_problem(5, 6, 7, DataType::kBf16);
  p.lda = 9;
  p.ldb = 8;
  p.ldc = 10;
  for (const DataType c_type : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
    p.c_type = c_type;
    const HostOperands o = make_operands(p, Values::kUniform, 1);
    const std::int64_t a_elements = gemm::stored_a(p).elements();
    REQUIRE(static_cast<std::int64_t>(o.a.size()) == 2 * a_elements);
    for (std::int64_t i = 0; i < a_elements; ++i) {
      CHECK(std::isnan(gemm::load_element(p.type, o.a.data(), i)) == (i % 9 >= 7));
    }
    for (std::int64_t i = 0; i < gemm::stored_c(p).elements(); ++i) {
      CHECK(std::isnan(gemm::load_element(c_type, o.c.data(), i)));
    }
  }
}

TEST_CASE("C before the run is readable exactly where the epilogue reads it") {
  Problem p = gemm::packed_problem(5, 6, 7, DataType::kBf16);
  p.ldc = 8;
  p.epilogue.kind = gemm::EpilogueKind::kAlphaBeta;
  CHECK(
      std::isnan(gemm::load_element(p.c_type, make_operands(p, Values::kUniform, 1).c.data(), 0)));
  p.epilogue.beta = 1.0f;
  const HostOperands o = make_operands(p, Values::kUniform, 1);
  for (std::int64_t i = 0; i < gemm::stored_c(p).elements(); ++i) {
    CHECK(std::isnan(gemm::load_element(p.c_type, o.c.data(), i)) == (i % 8 >= 6));
  }
}

TEST_CASE("integer ranges keep every sum exact") {
  CHECK(gemm::integer_range(0, DataType::kBf16) == 8);
  CHECK(gemm::integer_range(1, DataType::kBf16) == 8);
  CHECK(gemm::integer_range(1 << 18, DataType::kBf16) == 8);
  CHECK(gemm::integer_range((1 << 18) + 1, DataType::kBf16) == 7);
  CHECK(gemm::integer_range(1 << 24, DataType::kBf16) == 1);
  CHECK_THROWS_AS(gemm::integer_range((1 << 24) + 1, DataType::kBf16), core::Refused);
  for (std::int64_t k = 1; k <= (1 << 24); k = k * 3 / 2 + 1) {
    for (const DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
      const int r = gemm::integer_range(k, type);
      CHECK(r >= 1);
      CHECK(k * r * r <= (1 << 24));
      const double deviation = std::sqrt(static_cast<double>(k)) * r * (r + 1) / 3;
      if (type == DataType::kFp16) CHECK(8 * deviation < 65504);
    }
  }
  CHECK(gemm::integer_range(1 << 18, DataType::kFp16) < 8);
}

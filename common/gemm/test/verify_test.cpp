// Bugs planted in a right C: each must be caught, wherever it sits and however C is looked at.

#include "fake_kernel.hpp"

#include <gemm/sampling.hpp>
#include <gemm/verify.hpp>

#include <test/catch.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace {

using gemm::DataType;
using gemm::HostOperands;
using gemm::Problem;
using gemm::Report;
using gemm::Values;
using gemm::VerifyOptions;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::int64_t M = 200, N = 264, K = 72;

Problem strided_problem(DataType c_type = DataType::kBf16) {
  Problem p = gemm::packed_problem(M, N, K, DataType::kBf16);
  p.c_type = c_type;
  p.lda = K + 8;
  p.ldc = N + 3;
  return p;
}

VerifyOptions sampled() {
  VerifyOptions options;
  options.whole_up_to_products = 0;
  return options;
}

// Runs `check` for both kinds of values, whole and sampled.
template <class Check>
void everywhere(Check check) {
  for (const Values values : {Values::kUniform, Values::kIntegers}) {
    const HostOperands operands = make_operands(strided_problem(), values, 3);
    for (const VerifyOptions& options : {VerifyOptions(), sampled()}) {
      INFO((values == Values::kUniform ? "uniform" : "integers"));
      INFO((options.whole_up_to_products == 0 ? "sampled" : "whole"));
      check(operands, fake::perfect(operands), options);
    }
  }
}

}  // namespace

TEST_CASE("a right C passes") {
  everywhere([](const HostOperands& operands, const fake::Output& c, const VerifyOptions& options) {
    const Report report = verify(operands, c.data(), options);
    CHECK(report.ok());
    CHECK(report.entries == M * N);
    CHECK(report.checked >= 4096);
    CHECK((report.checked == M * N) == (options.whole_up_to_products > 0));
    CHECK(!report.first);
    CHECK(report.tiles == 6);
    CHECK(report.worst <= 1.0);
    CHECK(report.rel_err < 0.003);
    CHECK(report.rel_err > 0);  // C was rounded
    CHECK(report.max_rel_err >= report.rel_err);
    const auto lines = describe(report);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("right: " + std::to_string(report.checked) + " of 52800") == 0);
  });
}

TEST_CASE("poison left in place is caught in every entry") {
  everywhere([](const HostOperands& operands, const fake::Output&, const VerifyOptions& options) {
    const Report report = verify(operands, operands.c.data(), options);
    CHECK(report.wrong == M * N);
    CHECK(report.wrong_tiles == 6);
    CHECK(report.rel_err == kInf);
    CHECK(report.max_rel_err == kInf);
    CHECK(report.worst == kInf);
  });
}

TEST_CASE("one corrupted entry is caught and named") {
  everywhere([](const HostOperands& operands, fake::Output c, const VerifyOptions& options) {
    for (const gemm::Entry& at : gemm::sample_entries(M, N, 128, 128, 1, 9)) {
      const double right = c.get(at.row, at.col);
      c.set(at.row, at.col, right + 2.0 + std::fabs(right) / 16);
      const Report report = verify(operands, c.data(), {.whole_up_to_products = 1 << 28});
      CHECK(report.wrong == 1);
      REQUIRE(report.first);
      CHECK(report.first->at == at);
      CHECK(report.first->got == c.get(at.row, at.col));
      CHECK(std::fabs(report.first->expected - right) <= std::fabs(right) / 128);
      CHECK(report.wrong_tiles == 1);
      c.set(at.row, at.col, right);
    }
    // Corners are part of every sample.
    c.set(M - 1, N - 1, c.get(M - 1, N - 1) + 2.0);
    CHECK(verify(operands, c.data(), options).wrong == 1);
  });
}

TEST_CASE("NaN and infinity never pass, sampled or not") {
  everywhere([](const HostOperands& operands, fake::Output c, const VerifyOptions& options) {
    for (const double bad : {kNan, -kNan, kInf, -kInf}) {
      for (const gemm::Entry& at :
           {gemm::Entry{0, 0}, {77, 131}, {131, 77}, {M - 1, 1}, {2, N - 1}}) {
        const double right = c.get(at.row, at.col);
        c.set(at.row, at.col, bad);
        const Report report = verify(operands, c.data(), options);
        CHECK(report.wrong == 1);
        REQUIRE(report.first);
        CHECK(report.first->at == at);
        CHECK(std::isfinite(report.first->expected));
        CHECK(std::fabs(report.first->expected - right) <= std::fabs(right) / 128);
        CHECK(report.rel_err == kInf);
        c.set(at.row, at.col, right);
      }
    }
  });
}

TEST_CASE("two exchanged tiles are caught") {
  everywhere([](const HostOperands& operands, fake::Output c, const VerifyOptions& options) {
    for (std::int64_t row = 0; row < 64; ++row) {
      for (std::int64_t col = 0; col < 64; ++col) {
        const double one = c.get(row, col), two = c.get(64 + row, 128 + col);
        c.set(row, col, two);
        c.set(64 + row, 128 + col, one);
      }
    }
    const Report report = verify(operands, c.data(), options);
    CHECK(report.wrong > (options.whole_up_to_products > 0 ? 7000 : 100));
    CHECK(report.wrong_tiles == 2);
    CHECK(report.first->at.row == 0);
  });
}

TEST_CASE("edges that are off by one are caught") {
  everywhere(
      [](const HostOperands& operands, const fake::Output& right, const VerifyOptions& options) {
        fake::Output last_row = right, last_col = right, shifted_row = right, shifted_col = right;
        for (std::int64_t col = 0; col < N; ++col) {
          last_row.set(M - 1, col, kNan);  // never written
          shifted_row.set(M - 1, col, right.get(M - 2, col));
        }
        for (std::int64_t row = 0; row < M; ++row) {
          last_col.set(row, N - 1, kNan);
          shifted_col.set(row, N - 1, right.get(row, N - 2));
        }
        CHECK(verify(operands, last_row.data(), options).wrong == N);
        CHECK(verify(operands, last_col.data(), options).wrong == M);
        CHECK(verify(operands, shifted_row.data(), options).wrong > 3);
        CHECK(verify(operands, shifted_col.data(), options).wrong > 3);

        fake::Output boundary = right;  // row 128 computed with row 127 of A
        for (std::int64_t col = 0; col < N; ++col) boundary.set(128, col, right.get(127, col));
        CHECK(!verify(operands, boundary.data(), options).ok());
      });
}

TEST_CASE("wrong leading dimension is caught") {
  const HostOperands operands = make_operands(strided_problem(), Values::kUniform, 3);
  const fake::Output right = fake::perfect(operands);
  fake::Output packed = right;
  for (std::int64_t row = M - 1; row > 0; --row) {
    for (std::int64_t col = 0; col < N; ++col) {
      // As if rows were N apart: entry (row, col) shows what belongs 3 * row elements further on.
      const std::int64_t at = row * N + col;
      if (at % (N + 3) < N) packed.set(at / (N + 3), at % (N + 3), right.get(row, col));
    }
  }
  CHECK(verify(operands, packed.data()).wrong > M * N / 2);
}

TEST_CASE("zeros where zeros belong") {
  Problem p = strided_problem();
  p.k = 0;
  const HostOperands operands = make_operands(p, Values::kUniform, 3);
  fake::Output c = fake::perfect(operands);
  const Report right = verify(operands, c.data());
  CHECK(right.ok());
  CHECK(right.rel_err == 0);
  c.set(3, 4, 1e-3);
  const Report wrong = verify(operands, c.data());
  CHECK(wrong.wrong == 1);
  CHECK(wrong.rel_err == kInf);
  CHECK(!verify(operands, operands.c.data()).ok());
}

TEST_CASE("two computed outputs are compared entry by entry") {
  for (const Values values : {Values::kUniform, Values::kIntegers}) {
    const HostOperands operands = make_operands(strided_problem(), values, 3);
    const Problem& p = operands.problem;
    const fake::Output one = fake::perfect(operands);
    fake::Output two = one;
    const auto differ = [&] { return compare(p, values, one.data(), p.ldc, two.data(), p.ldc); };
    CHECK(differ().ok());
    CHECK(differ().checked == M * N);
    CHECK(differ().rel_err == 0);

    // One unit in the last place: both may have been rounded in opposite directions.
    const float value = static_cast<float>(one.get(10, 10));
    const core::bf16 stored = core::from_float<core::bf16>(value);
    const double next = core::to_float(core::bf16{static_cast<std::uint16_t>(stored.bits + 1)});
    two.set(10, 10, next);
    CHECK(differ().ok() == (values == Values::kUniform));
    two.set(10, 10, next + 3 * (next - value));
    CHECK(differ().wrong == 1);
    CHECK(differ().first->at == gemm::Entry{10, 10});
    two.set(10, 10, kNan);
    CHECK(differ().wrong == 1);
    CHECK(compare(p, values, two.data(), p.ldc, one.data(), p.ldc).wrong == 1);
    CHECK(compare(p, values, two.data(), p.ldc, two.data(), p.ldc).wrong == 1);  // NaN both
  }
}

TEST_CASE("epilogues are verified with the C that was there before") {
  for (const DataType c_type : {DataType::kBf16, DataType::kFp32}) {
    Problem p = strided_problem(c_type);
    p.epilogue.kind = gemm::EpilogueKind::kAlphaBeta;
    p.epilogue.alpha = 2.0f;
    p.epilogue.beta = -1.0f;
    for (const Values values : {Values::kUniform, Values::kIntegers}) {
      const HostOperands operands = make_operands(p, values, 3);
      CHECK(verify(operands, fake::perfect(operands).data()).ok());
      CHECK(!verify(operands, operands.c.data()).ok());
      HostOperands other = make_operands(p, values, 3);
      other.problem.epilogue.beta = 1.0f;
      CHECK(!verify(operands, fake::perfect(other).data()).ok());
    }
  }
}

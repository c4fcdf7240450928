// Bugs planted in a right C: each must be caught, wherever it sits and however C is looked at; and
// every way to sum that a kernel may choose must pass.

#include <gemm/element.hpp>
#include <gemm/tolerance.hpp>
#include <gemm/verify.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace {

using gemm::Coverage;
using gemm::DataType;
using gemm::Entry;
using gemm::HostOperands;
using gemm::Problem;
using gemm::Report;
using gemm::Values;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t M = 200, N = 264, K = 72;

Problem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, DataType type, DataType c_type) {
  Problem p = gemm::packed_problem(m, n, k, type);
  p.c_type = c_type;
  p.lda = k + 8;
  p.ldc = n + 3;
  return p;
}
const Problem kProblem = problem_of(M, N, K, DataType::kBf16, DataType::kBf16);

// C as a kernel leaves it in host memory, of its packed values, rounded once.
gemm::Bytes stored(const HostOperands& operands, const std::vector<double>& values) {
  const Problem& p = operands.problem;
  gemm::Bytes out = operands.c;
  for (std::int64_t i = 0; i < p.m * p.n; ++i) {
    gemm::store_element(p.c_type, out.data(), i / p.n * p.ldc + i % p.n,
                        static_cast<float>(values[static_cast<std::size_t>(i)]));
  }
  return out;
}
Report check(const HostOperands& operands, const std::vector<double>& values,
             Coverage coverage = Coverage::kByCost) {
  return verify(operands, stored(operands, values).data(), expected_of(operands, coverage));
}

// What a broken kernel leaves in a rectangle of C: what belongs `from` further on, plus `added`. A
// sample of C finds `at_least` wrong entries, all of C no more than `at_most`, in so many tiles of
// 128 x 128.
struct Corruption {
  const char* what;
  Entry at, size, from;
  double added;
  std::int64_t at_least, at_most, tiles;
};

const Corruption kCorruptions[] = {
    {"nothing", {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0},
    {"poison left in place", {0, 0}, {M, N}, {0, 0}, kNan, M* N, M* N, 6},
    {"infinity everywhere", {0, 0}, {M, N}, {0, 0}, kInf, M* N, M* N, 6},
    {"one corner", {M - 1, N - 1}, {1, 1}, {0, 0}, 2, 1, 1, 1},
    {"one NaN", {77, 131}, {1, 1}, {0, 0}, kNan, 1, 1, 1},
    {"a negative NaN", {131, 77}, {1, 1}, {0, 0}, -kNan, 1, 1, 1},
    {"one infinity", {2, N - 1}, {1, 1}, {0, 0}, -kInf, 1, 1, 1},
    {"last row not written", {M - 1, 0}, {1, N}, {0, 0}, kNan, N, N, 3},
    {"last column not written", {0, N - 1}, {M, 1}, {0, 0}, kNan, M, M, 2},
    {"last row is the one before", {M - 1, 0}, {1, N}, {-1, 0}, 0, 4, N, 3},
    {"last column is the one before", {0, N - 1}, {M, 1}, {0, -1}, 0, 4, M, 2},
    {"a row at a tile's edge is the one before", {128, 0}, {1, N}, {-1, 0}, 0, 1, N, 3},
    {"another tile's values", {0, 0}, {64, 64}, {64, 128}, 0, 100, 64 * 64, 1},
    {"rows begin three entries too late", {0, 0}, {M, N - 3}, {0, 3}, 0, 2000, M* N, 6},
};

}  // namespace

TEST_CASE("what a broken kernel leaves is caught, sampled or not") {
  const Values values = GENERATE(Values::kUniform, Values::kIntegers);
  const Coverage coverage = GENERATE(Coverage::kByCost, Coverage::kSample);
  const bool whole = coverage == Coverage::kByCost;
  const HostOperands operands = make_operands(kProblem, values, 3);
  const std::vector<double> right = gemm::reference(operands.problem);
  for (const Corruption& bad : kCorruptions) {
    std::vector<double> c = right;
    for (std::int64_t row = bad.at.row; row < bad.at.row + bad.size.row; ++row) {
      for (std::int64_t col = bad.at.col; col < bad.at.col + bad.size.col; ++col) {
        const auto from = (row + bad.from.row) * N + col + bad.from.col;
        c[static_cast<std::size_t>(row * N + col)] =
            right[static_cast<std::size_t>(from)] + bad.added;
      }
    }
    const Report report = check(operands, c, coverage);
    INFO(bad.what << (values == Values::kUniform ? ", uniform" : ", integers"));
    CHECK((report.entries == M * N && report.tiles == 6 && report.checked >= 4096));
    CHECK((report.checked == M * N) == (whole || bad.at_least == M * N));
    CHECK((report.wrong >= bad.at_least && report.wrong <= bad.at_most));
    CHECK(report.wrong_tiles == bad.tiles);
    CHECK((report.rel_err == kInf) == !std::isfinite(bad.added));
    if (report.ok()) {
      CHECK((bad.at_most == 0 && report.worst <= 1.0));
      CHECK((report.rel_err > 0 && report.rel_err < 0.003));  // C was rounded
      CHECK(describe(report)[0].find("right: " + std::to_string(report.checked) +
                                     " of 52800 entries checked, relative error 0.0017") == 0);
    } else {
      const auto [at, got, expected, allowed] = *report.first;
      const auto i = static_cast<std::size_t>(at.row * N + at.col);
      CHECK((at.row >= bad.at.row && at.row < bad.at.row + bad.size.row));
      CHECK((at.col >= bad.at.col && at.col < bad.at.col + bad.size.col));
      CHECK((!std::isfinite(got) || std::fabs(got - c[i]) <= std::fabs(got) / 128));
      CHECK(std::fabs(expected - right[i]) <= std::fabs(expected) / 128);
    }
  }
}

TEST_CASE("zeros where zeros belong") {
  Problem p = kProblem;
  p.k = 0;
  const HostOperands operands = make_operands(p, Values::kUniform, 3);
  std::vector<double> c(M * N);
  CHECK((check(operands, c).ok() && check(operands, c).rel_err == 0));
  c[3 * N + 4] = 1e-3;
  CHECK(check(operands, c).rel_err == kInf);
  CHECK(describe(check(operands, c)) ==
        std::vector<std::string>{
            "WRONG: 1 wrong entries (52800 of 52800 checked) in 1 of 6 tiles",
            "first: C[3, 4] = 0.000999450684, expected 0 +- 4.6e-41, in 128x128 tile (0, 0)"});
}

TEST_CASE("two computed outputs are compared entry by entry") {
  const Values values = GENERATE(Values::kUniform, Values::kIntegers);
  const HostOperands operands = make_operands(kProblem, values, 3);
  std::vector<double> c = gemm::reference(operands.problem);
  const gemm::Bytes one = stored(operands, c);
  const auto held_against = [&](double value) {
    c[10 * N + 10] = value;
    return compare(kProblem, values, one.data(), N + 3, stored(operands, c).data(), N + 3);
  };
  // One unit in the last place: both may have been rounded in opposite directions.
  const auto rounded = core::from_float<core::bf16>(static_cast<float>(c[10 * N + 10]));
  const double value = core::to_float(rounded);
  const double next = core::to_float(core::bf16{static_cast<std::uint16_t>(rounded.bits + 1)});
  const Report same = held_against(value);
  CHECK((same.ok() && same.checked == M * N && same.rel_err == 0));
  CHECK(held_against(next).ok() == (values == Values::kUniform));
  CHECK(held_against(next + 3 * (next - value)).wrong == 1);
  CHECK(held_against(kNan).first->at == Entry{10, 10});
  const gemm::Bytes bad = stored(operands, c);
  CHECK(compare(kProblem, values, bad.data(), N + 3, one.data(), N + 3).wrong == 1);
  CHECK(compare(kProblem, values, bad.data(), N + 3, bad.data(), N + 3).wrong == 1);
}

TEST_CASE("epilogues are verified with the C that was there before") {
  Problem p = kProblem;
  p.c_type = GENERATE(DataType::kBf16, DataType::kFp32);
  p.epilogue = {.kind = gemm::EpilogueKind::kAlphaBeta, .alpha = 2.0f, .beta = -1.0f};
  const Values values = GENERATE(Values::kUniform, Values::kIntegers);
  const HostOperands operands = make_operands(p, values, 3);
  p.epilogue.beta = 1.0f;
  CHECK(check(operands, gemm::reference(operands.problem)).ok());
  CHECK(!verify(operands, operands.c.data()).ok());
  CHECK(!check(operands, gemm::reference(make_operands(p, values, 3).problem)).ok());
}

namespace {

// One step of a tensor core: the accumulator and the products, all cut to the position of the last
// bit of the largest among them, then added exactly and cut to fp32.
float add_group_cut(float sum, const float* begin, const float* end) {
  float largest = std::fabs(sum);
  for (const float* x = begin; x < end; ++x) largest = std::max(largest, std::fabs(*x));
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 23);
  double total = std::trunc(sum / unit);
  for (const float* x = begin; x < end; ++x) total += std::trunc(*x / unit);
  const double exact = total * unit;
  const float near = static_cast<float>(exact);
  return std::fabs(double{near}) > std::fabs(exact) ? std::nextafterf(near, 0) : near;
}

float sequential(const float* begin, const float* end) {
  float sum = 0;
  for (; begin < end; ++begin) sum += *begin;
  return sum;
}
float tensor_core(const float* begin, const float* end) {
  float sum = 0;
  for (; begin < end; begin += 16) sum = add_group_cut(sum, begin, std::min(end, begin + 16));
  return sum;
}
struct Order {
  const char* name;
  float (*sum)(const float* begin, const float* end);
  std::int64_t wrong_from_k;
};
constexpr Order kOrders[] = {
    {"one after another", sequential, 1 << 24},
    {"tensor core, 16 at a time, bits cut off", tensor_core, 1 << 24},
    {"the last product lost", [](auto x, auto end) { return sequential(x, end - 1); }, 1},
    {"the first counted twice", [](auto x, auto end) { return sequential(x, end) + *x; }, 1},
    {"in bf16",
     [](auto x, auto end) {
       float sum = 0;
       for (; x < end; ++x) sum = core::to_float(core::from_float<core::bf16>(sum + *x));
       return sum;
     },
     1000},  // fewer products, of small integers above all, may fit
};

}  // namespace

TEST_CASE("any order of summation passes, a product lost or counted twice in a fragment does not") {
  const std::int64_t k = GENERATE(3, 64, 1000, 16384);
  const Values values = GENERATE(Values::kUniform, Values::kIntegers);
  const DataType type = GENERATE(DataType::kBf16, DataType::kFp16);
  const DataType c_type = type == DataType::kBf16 ? type : DataType::kFp32;
  const HostOperands operands = make_operands(problem_of(24, 24, k, type, c_type), values, 11);
  const Problem& p = operands.problem;
  std::vector<std::vector<double>> outputs(std::size(kOrders), gemm::reference(p));
  std::vector<float> products(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < 16 * 8; ++i) {  // one 16x8 fragment
    const std::int64_t row = 8 + i / 8, col = 16 + i % 8;
    for (std::int64_t j = 0; j < k; ++j) {
      products[static_cast<std::size_t>(j)] =
          static_cast<float>(gemm::load_element(type, p.a, row * p.lda + j) *
                             gemm::load_element(type, p.b, col * p.ldb + j));
    }
    for (std::size_t o = 0; o < std::size(kOrders); ++o) {
      outputs[o][static_cast<std::size_t>(row * 24 + col)] =
          kOrders[o].sum(products.data(), products.data() + k);
    }
  }
  for (std::size_t o = 0; o < std::size(kOrders); ++o) {
    const Report report = check(operands, outputs[o]);
    INFO("K = " << k << ", C " << gemm::name(c_type) << ", " << kOrders[o].name);
    if (k >= kOrders[o].wrong_from_k) CHECK(!report.ok());
    if (kOrders[o].wrong_from_k > 16384) CHECK(report.ok());
    if (!report.ok()) CHECK((report.first->at.row >= 8 && report.first->at.col >= 16));
  }
}

TEST_CASE("integer results are compared after rounding to nearest even") {
  // K = 1024, |a|, |b| <= 8: sums up to 65536 that need up to 17 bits, of which bf16 has 8.
  const HostOperands operands = make_operands(
      problem_of(64, 64, 1024, DataType::kBf16, DataType::kBf16), Values::kIntegers, 14);
  const std::vector<double> right = gemm::reference(operands.problem);
  std::vector<double> cut, away;
  int ties = 0, inexact = 0;
  for (const double sum : right) {
    using core::bf16, core::Rounding;
    const float exact = static_cast<float>(sum);
    const float even = core::to_float(core::from_float<bf16>(exact));
    cut.push_back(core::to_float(core::from_float<bf16, Rounding::kTowardZero>(exact)));
    away.push_back(core::to_float(core::from_float<bf16, Rounding::kToNearestAway>(exact)));
    inexact += cut.back() != even;
    ties += away.back() != even;
  }
  CHECK((check(operands, right).ok() && inexact > 500 && ties > 20));
  CHECK(check(operands, cut).wrong == inexact);
  CHECK(check(operands, away).wrong == ties);
}

TEST_CASE("a sample covers every tile and edge") {
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{1000, 1000}, {129, 5000}, {5000, 65},
                                                          {1, 100000},  {100000, 1}, {8191, 300}};
  for (const auto& [m, n] : shapes) {
    INFO(m << " x " << n);
    const std::vector<Entry> entries = gemm::sample_entries(m, n);
    const std::set<Entry> all(entries.begin(), entries.end());
    std::set<Entry> tiles;
    for (const Entry& e : entries) tiles.insert({e.row / 128, e.col / 128});
    CHECK((entries.size() >= 4096 && entries.size() < 40000 && all.size() == entries.size()));
    CHECK(std::is_sorted(entries.begin(), entries.end()));
    CHECK(static_cast<std::int64_t>(tiles.size()) == ((m + 127) / 128) * ((n + 127) / 128));
    bool edges = all.contains({m - 1, n - 1});
    for (std::int64_t at = 0; at < m; ++at) {  // rows 0, 63, 64, 127, 128, and so on
      edges = edges && ((at + 1) % 64 > 1 || all.contains({at, n - 1}));
    }
    for (std::int64_t at = 0; at < n; ++at) {
      edges = edges && ((at + 1) % 64 > 1 || all.contains({m - 1, at}));
    }
    CHECK(edges);
    CHECK((entries.back().row < m && tiles.rbegin()->col <= (n - 1) / 128));
  }
  const std::size_t of_many_tiles = gemm::sample_entries(1 << 16, 1 << 16).size();
  CHECK((of_many_tiles > 60000 && of_many_tiles < 90000));
}

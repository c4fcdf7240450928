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

// C of one problem in host memory: entries by coordinates.
class Output {
 public:
  explicit Output(const HostOperands& operands) : problem_(operands.problem), bytes_(operands.c) {}

  const void* data() const { return bytes_.data(); }
  double get(std::int64_t row, std::int64_t col) const {
    return gemm::load_element(problem_.c_type, bytes_.data(), row * problem_.ldc + col);
  }
  void set(std::int64_t row, std::int64_t col, double value) {
    gemm::store_element(problem_.c_type, bytes_.data(), row * problem_.ldc + col,
                        static_cast<float>(value));
  }
  // Every entry of the rectangle becomes value(row, col).
  template <class Value>
  void fill(const Entry& at, const Entry& size, const Value& value) {
    for (std::int64_t row = at.row; row < at.row + size.row; ++row) {
      for (std::int64_t col = at.col; col < at.col + size.col; ++col)
        set(row, col, value(row, col));
    }
  }

 private:
  Problem problem_;
  std::vector<std::byte> bytes_;
};

// The best that any kernel can do: the reference, rounded once.
Output perfect(const HostOperands& operands) {
  Output out(operands);
  const Problem& p = operands.problem;
  const std::vector<double> reference = gemm::reference(p);
  out.fill({0, 0}, {p.m, p.n}, [&](std::int64_t row, std::int64_t col) {
    return reference[static_cast<std::size_t>(row * p.n + col)];
  });
  return out;
}

// The product a[row, k] * b[col, k] of a problem with K contiguous.
float product(const Problem& p, std::int64_t row, std::int64_t col, std::int64_t k) {
  return static_cast<float>(gemm::load_element(p.type, p.a, row * p.lda + k) *
                            gemm::load_element(p.type, p.b, col * p.ldb + k));
}

Problem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, DataType type, DataType c_type) {
  Problem p = gemm::packed_problem(m, n, k, type);
  p.c_type = c_type;
  p.lda = k + 8;
  p.ldc = n + 3;
  return p;
}
const Problem kProblem = problem_of(M, N, K, DataType::kBf16, DataType::kBf16);

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
  for (const Values values : {Values::kUniform, Values::kIntegers}) {
    const HostOperands operands = make_operands(kProblem, values, 3);
    const Output right = perfect(operands);
    for (const Corruption& bad : kCorruptions) {
      Output c = right;
      c.fill(bad.at, bad.size, [&](std::int64_t row, std::int64_t col) {
        return right.get(row + bad.from.row, col + bad.from.col) + bad.added;
      });
      for (const Coverage coverage : {Coverage::kByCost, Coverage::kSample}) {
        const bool whole = coverage == Coverage::kByCost;
        const Report report = verify(operands, c.data(), coverage);
        INFO(bad.what << (values == Values::kUniform ? ", uniform" : ", integers"));
        INFO((whole ? "whole" : "sampled"));
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
          CHECK((at.row >= bad.at.row && at.row < bad.at.row + bad.size.row));
          CHECK((at.col >= bad.at.col && at.col < bad.at.col + bad.size.col));
          CHECK((got == c.get(at.row, at.col) || std::isnan(got)));
          CHECK(std::fabs(expected - right.get(at.row, at.col)) <= std::fabs(expected) / 128);
        }
      }
    }
  }
}

TEST_CASE("zeros where zeros belong") {
  const HostOperands operands =
      make_operands(problem_of(M, N, 0, DataType::kBf16, DataType::kBf16), Values::kUniform, 3);
  Output c = perfect(operands);
  CHECK(verify(operands, c.data()).ok());
  CHECK(verify(operands, c.data()).rel_err == 0);
  c.set(3, 4, 1e-3);
  CHECK(describe(verify(operands, c.data())) ==
        std::vector<std::string>{
            "WRONG: 1 wrong entries (52800 of 52800 checked) in 1 of 6 tiles",
            "first: C[3, 4] = 0.000999450684, expected 0 +- 4.6e-41, in 128x128 tile (0, 0)"});
  CHECK(verify(operands, c.data()).rel_err == kInf);
}

TEST_CASE("two computed outputs are compared entry by entry") {
  for (const Values values : {Values::kUniform, Values::kIntegers}) {
    const HostOperands operands = make_operands(kProblem, values, 3);
    const Problem& p = operands.problem;
    const Output one = perfect(operands);
    Output two = one;
    const auto differ = [&](double value) {
      two.set(10, 10, value);
      return compare(p, values, one.data(), p.ldc, two.data(), p.ldc);
    };
    // One unit in the last place: both may have been rounded in opposite directions.
    const float value = static_cast<float>(one.get(10, 10));
    const core::bf16 stored = core::from_float<core::bf16>(value);
    const double next = core::to_float(core::bf16{static_cast<std::uint16_t>(stored.bits + 1)});
    CHECK(differ(value).ok());
    CHECK(differ(value).checked == M * N);
    CHECK(differ(value).rel_err == 0);
    CHECK(differ(next).ok() == (values == Values::kUniform));
    CHECK(differ(next + 3 * (next - value)).wrong == 1);
    CHECK(differ(kNan).wrong == 1);
    CHECK(compare(p, values, two.data(), p.ldc, two.data(), p.ldc).wrong == 1);  // NaN both
    CHECK(compare(p, values, two.data(), p.ldc, one.data(), p.ldc).first->at == Entry{10, 10});
  }
}

TEST_CASE("epilogues are verified with the C that was there before") {
  for (const DataType c_type : {DataType::kBf16, DataType::kFp32}) {
    for (const Values values : {Values::kUniform, Values::kIntegers}) {
      Problem p = problem_of(M, N, K, DataType::kBf16, c_type);
      p.epilogue = {.kind = gemm::EpilogueKind::kAlphaBeta, .alpha = 2.0f, .beta = -1.0f};
      const HostOperands operands = make_operands(p, values, 3);
      p.epilogue.beta = 1.0f;
      CHECK(verify(operands, perfect(operands).data()).ok());
      CHECK(!verify(operands, operands.c.data()).ok());
      CHECK(!verify(operands, perfect(make_operands(p, values, 3)).data()).ok());
    }
  }
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
float pairwise(const float* begin, const float* end) {
  const float* middle = begin + (end - begin) / 2;
  return middle == begin ? *begin : pairwise(begin, middle) + pairwise(middle, end);
}
float tensor_core(const float* begin, const float* end) {
  float sum = 0;
  for (; begin < end; begin += 16) sum = add_group_cut(sum, begin, std::min(end, begin + 16));
  return sum;
}
// Not good enough: an accumulator of 16 bits.
float bf16_accumulator(const float* begin, const float* end) {
  float sum = 0;
  for (; begin < end; ++begin) sum = core::to_float(core::from_float<core::bf16>(sum + *begin));
  return sum;
}
// One product too few.
float last_lost(const float* begin, const float* end) {
  return sequential(begin, end - 1);
}
float first_counted_twice(const float* begin, const float* end) {
  return sequential(begin, end) + *begin;
}

struct Order {
  const char* name;
  float (*sum)(const float* begin, const float* end);
  bool right;
};
constexpr Order kOrders[] = {
    {"one after another", sequential, true},
    {"pairwise", pairwise, true},
    {"tensor core, 16 at a time, bits cut off", tensor_core, true},
    {"in bf16", bf16_accumulator, false},
    {"the last product lost", last_lost, false},
    {"the first product counted twice", first_counted_twice, false},
};

}  // namespace

TEST_CASE("any order of summation passes, a product lost or counted twice in a fragment does not") {
  const std::pair<DataType, DataType> types[] = {{DataType::kBf16, DataType::kBf16},
                                                 {DataType::kFp16, DataType::kFp32}};
  for (const std::int64_t k : {3, 64, 1000, 16384}) {
    for (const auto& [type, c_type] : types) {
      for (const Values values : {Values::kUniform, Values::kIntegers}) {
        const HostOperands operands =
            make_operands(problem_of(24, 24, k, type, c_type), values, 11);
        std::vector<Output> outputs(std::size(kOrders), perfect(operands));
        std::vector<float> products(static_cast<std::size_t>(k));
        for (std::int64_t i = 0; i < 16 * 8; ++i) {  // one 16x8 fragment
          const std::int64_t row = 8 + i / 8, col = 16 + i % 8;
          for (std::int64_t j = 0; j < k; ++j) {
            products[static_cast<std::size_t>(j)] = product(operands.problem, row, col, j);
          }
          for (std::size_t o = 0; o < std::size(kOrders); ++o) {
            outputs[o].set(row, col, kOrders[o].sum(products.data(), products.data() + k));
          }
        }
        for (std::size_t o = 0; o < std::size(kOrders); ++o) {
          const Report report = verify(operands, outputs[o].data());
          INFO("K = " << k << ", C " << gemm::name(c_type) << ", " << kOrders[o].name);
          INFO(describe(report)[0]);
          // The sums of three bf16 products and of small integers hold in few bits.
          if (kOrders[o].sum != bf16_accumulator || k > 64) CHECK(report.ok() == kOrders[o].right);
          if (!report.ok()) CHECK((report.first->at.row >= 8 && report.first->at.col >= 16));
        }
      }
    }
  }
}

TEST_CASE("integer results are compared after rounding to nearest even") {
  // K = 1024, |a|, |b| <= 8: sums up to 65536 that need up to 17 bits, of which bf16 has 8.
  const HostOperands operands = make_operands(
      problem_of(64, 64, 1024, DataType::kBf16, DataType::kBf16), Values::kIntegers, 14);
  const std::vector<double> right = gemm::reference(operands.problem);
  const Output even = perfect(operands);
  Output cut = even, away = even;
  int ties = 0, inexact = 0;
  for (std::int64_t i = 0; i < 64 * 64; ++i) {
    const std::int64_t row = i / 64, col = i % 64;
    const float sum = static_cast<float>(right[static_cast<std::size_t>(i)]);
    using core::Rounding;
    cut.set(row, col, core::to_float(core::from_float<core::bf16, Rounding::kTowardZero>(sum)));
    away.set(row, col, core::to_float(core::from_float<core::bf16, Rounding::kToNearestAway>(sum)));
    inexact += cut.get(row, col) != even.get(row, col);
    ties += away.get(row, col) != even.get(row, col);
  }
  CHECK(verify(operands, even.data()).ok());
  CHECK(verify(operands, cut.data()).wrong == inexact);
  CHECK(verify(operands, away.data()).wrong == ties);
  CHECK((inexact > 500 && ties > 20));
}

TEST_CASE("epilogues widen the tolerance by what they add") {
  Problem p = problem_of(8, 8, 64, DataType::kBf16, DataType::kFp32);
  const auto allowed = [&](Values values) {
    return gemm::Tolerance::of(p, values, 8).allowed(1.0);
  };
  const double plain = allowed(Values::kUniform);
  p.epilogue = {.kind = gemm::EpilogueKind::kAlphaBeta, .alpha = -3.0f};
  CHECK(allowed(Values::kUniform) == Approx(3 * plain).epsilon(0.01));
  p.epilogue.beta = 1000.0f;
  CHECK(allowed(Values::kUniform) > 4 * 1000 * 0x1p-23);
  CHECK(allowed(Values::kUniform) < 0.01);
  CHECK(allowed(Values::kIntegers) == 0);
}

TEST_CASE("a sample covers every tile and edge") {
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{1000, 1000}, {129, 5000}, {5000, 65},
                                                          {1, 100000},  {100000, 1}, {8191, 300}};
  for (const auto& [m, n] : shapes) {
    INFO(m << " x " << n);
    const std::vector<Entry> entries = gemm::sample_entries(m, n);
    CHECK((entries.size() >= 4096 && entries.size() < 40000));
    CHECK(std::is_sorted(entries.begin(), entries.end()));
    std::set<Entry> tiles, all(entries.begin(), entries.end());
    std::set<std::int64_t> rows, cols;
    for (const Entry& e : entries) {
      rows.insert(e.row);
      cols.insert(e.col);
      tiles.insert({e.row / 128, e.col / 128});
    }
    CHECK(all.size() == entries.size());
    CHECK((*rows.begin() == 0 && *rows.rbegin() == m - 1));
    CHECK((*cols.begin() == 0 && *cols.rbegin() == n - 1));
    CHECK(static_cast<std::int64_t>(tiles.size()) == ((m + 127) / 128) * ((n + 127) / 128));
    for (std::int64_t edge = 64; edge < m; edge += 64) {
      CHECK((rows.contains(edge - 1) && rows.contains(edge) && all.contains({edge, n - 1})));
    }
    for (std::int64_t edge = 64; edge < n; edge += 64) {
      CHECK((cols.contains(edge - 1) && cols.contains(edge) && all.contains({m - 1, edge})));
    }
    CHECK((all.contains({0, 0}) && all.contains({0, n - 1}) && all.contains({m - 1, 0})));
  }
  const std::size_t of_many_tiles = gemm::sample_entries(1 << 16, 1 << 16).size();
  CHECK((of_many_tiles > 60000 && of_many_tiles < 90000));
}

#include <gemm/verify.hpp>

#include <gemm/element.hpp>
#include <gemm/parallel.hpp>
#include <gemm/random.hpp>
#include <gemm/tolerance.hpp>
#include <gemm/waves.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <mutex>
#include <set>
#include <sstream>

namespace gemm {
namespace {

constexpr int kTile = 128;  // that a report speaks of and that sampling covers
constexpr std::int64_t kSamples = 4096;
constexpr std::int64_t kMostTiles = 65536;

// What was found in some of the entries. Several threads fill one each; merge() joins them.
struct Findings {
  Report report;
  std::set<Entry> wrong_tiles;
  double error_squares = 0;
  double expected_squares = 0;

  void add(const WrongEntry& entry, double reference) {
    const double error = std::fabs(entry.got - entry.expected);
    const double distance = std::fabs(entry.got - reference);
    ++report.checked;
    expected_squares += reference * reference;
    if (std::isfinite(entry.got)) {
      error_squares += distance * distance;
      if (error > 0) report.worst = std::max(report.worst, error / entry.allowed);
    } else {
      error_squares = report.worst = std::numeric_limits<double>::infinity();
    }
    // Written so that a NaN among the expected values fails as well.
    const bool right = error <= entry.allowed;
    if (right) return;
    ++report.wrong;
    if (!report.first || entry.at < report.first->at) report.first = entry;
    wrong_tiles.insert({entry.at.row / kTile, entry.at.col / kTile});
  }

  void merge(const Findings& other) {
    const std::optional<WrongEntry>& theirs = other.report.first;
    report.checked += other.report.checked;
    report.wrong += other.report.wrong;
    if (theirs && (!report.first || theirs->at < report.first->at)) report.first = theirs;
    report.worst = std::max(report.worst, other.report.worst);
    wrong_tiles.insert(other.wrong_tiles.begin(), other.wrong_tiles.end());
    error_squares += other.error_squares;
    expected_squares += other.expected_squares;
  }
};

// Calls check(row, findings) for every row of C and puts together what they find.
template <class Check>
Report report_on_rows(const Problem& p, const Check& check) {
  Findings all;
  std::mutex mutex;
  const std::int64_t rows_per_call = 1 + 100000 / (p.n + 1);
  parallel_for((p.m + rows_per_call - 1) / rows_per_call, [&](std::int64_t call) {
    Findings found;
    const std::int64_t last = std::min(p.m, (call + 1) * rows_per_call);
    for (std::int64_t row = call * rows_per_call; row < last; ++row) check(row, found);
    const std::lock_guard lock(mutex);
    all.merge(found);
  });
  Report report = all.report;
  report.entries = p.m * p.n;
  report.tiles = tiles_of(p, kTile, kTile);
  report.wrong_tiles = static_cast<std::int64_t>(all.wrong_tiles.size());
  // Where nothing but zeros is expected, any error is infinitely large.
  if (all.error_squares > 0) report.rel_err = std::sqrt(all.error_squares / all.expected_squares);
  return report;
}

// Positions along one dimension where something begins or ends.
std::vector<std::int64_t> edges(std::int64_t size) {
  std::vector<std::int64_t> out = {0, 1, size - 2, size - 1};
  for (std::int64_t boundary = 64; boundary <= size; boundary += 64) {
    out.insert(out.end(), {boundary - 1, boundary, boundary + 1});
  }
  std::erase_if(out, [&](std::int64_t i) { return i < 0 || i >= size; });
  return out;
}

}  // namespace

std::vector<Entry> sample_entries(std::int64_t m, std::int64_t n) {
  std::set<Entry> out;
  std::uint64_t counter = 0;
  const auto random_below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(counter_bits(1, counter++) %
                                     static_cast<std::uint64_t>(bound));
  };
  for (const std::int64_t row : edges(m)) {
    out.insert({{row, random_below(n)}, {row, 0}, {row, n - 1}});
  }
  for (const std::int64_t col : edges(n)) {
    out.insert({{random_below(m), col}, {0, col}, {m - 1, col}});
  }
  const std::int64_t tiles_n = (n + kTile - 1) / kTile, tiles = (m + kTile - 1) / kTile * tiles_n;
  const std::int64_t enough = std::min(kSamples, m * n);
  do {
    for (std::int64_t i = 0; i < std::min(tiles, kMostTiles); ++i) {
      const std::int64_t tile = tiles <= kMostTiles ? i : random_below(tiles);
      const std::int64_t row = tile / tiles_n * kTile, col = tile % tiles_n * kTile;
      out.insert({row + random_below(std::min<std::int64_t>(kTile, m - row)),
                  col + random_below(std::min<std::int64_t>(kTile, n - col))});
    }
  } while (static_cast<std::int64_t>(out.size()) < enough);
  return {out.begin(), out.end()};
}

Expected expected_of(const HostOperands& operands, Coverage coverage) {
  const Problem& p = operands.problem;
  if (stored_c(p).empty()) return {};
  const bool whole =
      coverage == Coverage::kByCost && p.m * p.n <= std::int64_t{1} << 24 && p.flops() <= 0x1p29;
  if (whole) return {{}, reference(p)};
  std::vector<Entry> sample = sample_entries(p.m, p.n);
  std::vector<double> values = reference(p, sample);
  return {std::move(sample), std::move(values)};
}

Report verify(const HostOperands& operands, const void* got, const Expected& expected) {
  const Problem& p = operands.problem;
  if (stored_c(p).empty()) return {};
  const Tolerance tolerance = Tolerance::of(p, operands.values, operands.range);
  const std::vector<Entry>& sample = expected.sample;
  const bool whole = sample.empty();
  const auto entry = [&](const Entry& at, double value, double right) {
    return WrongEntry{at, value, tolerance.target(right), tolerance.allowed(right)};
  };
  Report report = dispatch_any_type(p.c_type, [&]<class T>() {
    return report_on_rows(p, [&](std::int64_t row, Findings& found) {
      auto next = std::lower_bound(sample.begin(), sample.end(), Entry{row, 0});
      for (std::int64_t col = 0; col < p.n; ++col) {
        const Entry at = {row, col};
        const double value = to_double(static_cast<const T*>(got)[row * p.ldc + col]);
        double right = 0;
        if (whole) {
          right = expected.values[static_cast<std::size_t>(row * p.n + col)];
        } else if (next != sample.end() && *next == at) {
          right = expected.values[static_cast<std::size_t>(next++ - sample.begin())];
        } else if (std::isfinite(value)) {
          continue;  // the rest can at least be told from poison
        }
        found.add(entry(at, value, right), right);
      }
    });
  });
  // What should have been in an entry outside of the sample is computed for the first one only.
  if (report.first) {
    const Entry at = report.first->at;
    report.first = entry(at, report.first->got, reference(p, {&at, 1})[0]);
  }
  return report;
}

Report compare(const Problem& p, Values values, const void* got, std::int64_t got_ld,
               const void* other, std::int64_t other_ld) {
  if (stored_c(p).empty()) return {};
  const int range = values == Values::kIntegers ? integer_range(p.k, p.c_type) : 0;
  const Tolerance tolerance = Tolerance::of(p, values, range);
  return dispatch_any_type(p.c_type, [&]<class T>() {
    return report_on_rows(p, [&](std::int64_t row, Findings& found) {
      for (std::int64_t col = 0; col < p.n; ++col) {
        const double value = to_double(static_cast<const T*>(got)[row * got_ld + col]);
        const double expected = to_double(static_cast<const T*>(other)[row * other_ld + col]);
        const double largest = std::max(std::fabs(value), std::fabs(expected));
        // allowed() is slow, and nearly all entries are equal.
        const double allowed = value == expected ? 0 : 2 * tolerance.allowed(largest);
        found.add({{row, col}, value, expected, allowed}, expected);
      }
    });
  });
}

std::vector<std::string> describe(const Report& r) {
  if (r.entries == 0) return {"right: C has no entries"};
  std::ostringstream line, first;
  if (r.ok()) {
    line << std::setprecision(2) << "right: " << r.checked << " of " << r.entries
         << " entries checked, relative error " << r.rel_err << ", largest error " << r.worst
         << " of the allowed";
    return {line.str()};
  }
  line << "WRONG: " << r.wrong << " wrong entries (" << r.checked << " of " << r.entries
       << " checked) in " << r.wrong_tiles << " of " << r.tiles << " tiles";
  const auto& [at, got, expected, allowed] = *r.first;
  first << std::setprecision(9) << "first: C[" << at.row << ", " << at.col << "] = " << got
        << ", expected " << expected << " +- " << std::setprecision(2) << allowed
        << ", in 128x128 tile (" << at.row / kTile << ", " << at.col / kTile << ")";
  return {line.str(), first.str()};
}

}  // namespace gemm

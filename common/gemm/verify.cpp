#include <gemm/verify.hpp>

#include <gemm/element.hpp>
#include <gemm/parallel.hpp>
#include <gemm/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <set>

namespace gemm {
namespace {

// What was found in some of the entries. Several threads fill one each; merge() joins them.
struct Findings {
  std::int64_t checked = 0;
  std::int64_t wrong = 0;
  std::optional<WrongEntry> first;
  std::set<Entry> wrong_tiles;
  double error_squares = 0;
  double expected_squares = 0;
  double largest_error = 0;
  double worst = 0;

  Entry last_wrong_tile = {-1, -1};

  void add_wrong(const WrongEntry& entry, const VerifyOptions& options) {
    ++wrong;
    if (!first || entry.at < first->at) first = entry;
    const Entry tile = {entry.at.row / options.tile_rows, entry.at.col / options.tile_cols};
    if (tile != last_wrong_tile) wrong_tiles.insert(tile);
    last_wrong_tile = tile;
  }

  // `error` and `allowed` belong to the verdict, `distance` is the plain |got - reference|.
  void add(const WrongEntry& entry, double error, double distance, double reference,
           const VerifyOptions& options) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    ++checked;
    expected_squares += reference * reference;
    if (!std::isfinite(entry.got)) {
      error_squares = largest_error = worst = kInfinity;
      return add_wrong(entry, options);
    }
    error_squares += distance * distance;
    largest_error = std::max(largest_error, distance);
    // Written so that a NaN among the expected values fails as well.
    const bool right = error <= entry.allowed;
    if (!right) add_wrong(entry, options);
    if (error > 0) worst = std::max(worst, entry.allowed > 0 ? error / entry.allowed : kInfinity);
  }

  void merge(const Findings& other) {
    checked += other.checked;
    wrong += other.wrong;
    if (other.first && (!first || other.first->at < first->at)) first = other.first;
    wrong_tiles.insert(other.wrong_tiles.begin(), other.wrong_tiles.end());
    error_squares += other.error_squares;
    expected_squares += other.expected_squares;
    largest_error = std::max(largest_error, other.largest_error);
    worst = std::max(worst, other.worst);
  }

  Report report(const Problem& p, const VerifyOptions& options) const {
    const auto tiles_along = [](std::int64_t size, int tile) { return (size + tile - 1) / tile; };
    Report r;
    r.entries = p.m * p.n;
    r.checked = checked;
    r.wrong = wrong;
    r.wrong_tiles = static_cast<std::int64_t>(wrong_tiles.size());
    r.tiles = tiles_along(p.m, options.tile_rows) * tiles_along(p.n, options.tile_cols);
    r.tile_rows = options.tile_rows;
    r.tile_cols = options.tile_cols;
    r.first = first;
    r.worst = worst;
    // Where nothing but zeros is expected, any error is infinitely large.
    const auto relative = [](double error, double scale) { return error == 0 ? 0 : error / scale; };
    r.rel_err = relative(std::sqrt(error_squares), std::sqrt(expected_squares));
    r.max_rel_err =
        relative(largest_error,
                 checked > 0 ? std::sqrt(expected_squares / static_cast<double>(checked)) : 0);
    return r;
  }
};

// Runs part(begin, end, findings) over [0, count) in pieces and merges what they find.
template <class Part>
Findings gather(std::int64_t count, std::int64_t piece, const Part& part) {
  Findings all;
  std::mutex mutex;
  parallel_for((count + piece - 1) / piece, [&](std::int64_t i) {
    Findings found;
    part(i * piece, std::min(count, (i + 1) * piece), found);
    const std::lock_guard lock(mutex);
    all.merge(found);
  });
  return all;
}

// Rows that make a piece of work of some 10^5 entries.
std::int64_t rows_per_piece(const Problem& p) {
  return std::max<std::int64_t>(1, 100000 / std::max<std::int64_t>(1, p.n));
}

void add_reference_entry(Findings& found, const Entry& at, double got, double reference,
                         const Tolerance& tolerance, const VerifyOptions& options) {
  const double expected = tolerance.target(reference);
  const WrongEntry entry = {at, got, expected, tolerance.allowed(reference)};
  found.add(entry, std::fabs(got - expected), std::fabs(got - reference), reference, options);
}

template <class T>
Findings check_whole(const Problem& p, const T* got, const Tolerance& tolerance,
                     const VerifyOptions& options) {
  const std::vector<double> expected = reference(p);
  return gather(p.m, rows_per_piece(p), [&](std::int64_t begin, std::int64_t end, Findings& found) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t col = 0; col < p.n; ++col) {
        add_reference_entry(found, {row, col}, to_double(got[row * p.ldc + col]),
                            expected[static_cast<std::size_t>(row * p.n + col)], tolerance,
                            options);
      }
    }
  });
}

template <class T>
Findings check_sample(const Problem& p, const T* got, const Tolerance& tolerance,
                      const VerifyOptions& options) {
  const std::vector<Entry> entries =
      sample_entries(p.m, p.n, options.tile_rows, options.tile_cols, options.samples, options.seed);
  const std::vector<double> expected = reference(p, entries);
  Findings all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& at = entries[i];
    add_reference_entry(all, at, to_double(got[at.row * p.ldc + at.col]), expected[i], tolerance,
                        options);
  }
  // The rest can at least be told from poison. A sampled entry is not counted twice. What should
  // have been there is computed for the first one only.
  const auto sampled = [&](const Entry& at) {
    return std::binary_search(entries.begin(), entries.end(), at);
  };
  all.merge(
      gather(p.m, rows_per_piece(p), [&](std::int64_t begin, std::int64_t end, Findings& found) {
        for (std::int64_t row = begin; row < end; ++row) {
          for (std::int64_t col = 0; col < p.n; ++col) {
            const double value = to_double(got[row * p.ldc + col]);
            if (std::isfinite(value) || sampled({row, col})) continue;
            add_reference_entry(found, {row, col}, value, 0, tolerance, options);
          }
        }
      }));
  if (all.first) {
    const double should_be = reference(p, std::vector<Entry>{all.first->at})[0];
    all.first->expected = tolerance.target(should_be);
    all.first->allowed = tolerance.allowed(should_be);
  }
  return all;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

}  // namespace

Report verify(const HostOperands& operands, const void* got, const VerifyOptions& options) {
  const Problem& p = operands.problem;
  if (stored_c(p).empty()) return Findings().report(p, options);
  const Tolerance tolerance = Tolerance::of(p, operands.values, operands.range);
  const bool whole = p.m * p.n <= options.whole_up_to_entries &&
                     p.flops() / 2 <= static_cast<double>(options.whole_up_to_products);
  const Findings found = dispatch_any_type(p.c_type, [&]<class T>() {
    const T* c = static_cast<const T*>(got);
    return whole ? check_whole(p, c, tolerance, options) : check_sample(p, c, tolerance, options);
  });
  return found.report(p, options);
}

Report compare(const Problem& p, Values values, const void* got, std::int64_t got_ld,
               const void* other, std::int64_t other_ld, const VerifyOptions& options) {
  if (stored_c(p).empty()) return Findings().report(p, options);
  const int range = values == Values::kIntegers ? integer_range(p.k, p.c_type) : 0;
  const Tolerance tolerance = Tolerance::of(p, values, range);
  const Findings found = dispatch_any_type(p.c_type, [&]<class T>() {
    const T* one = static_cast<const T*>(got);
    const T* two = static_cast<const T*>(other);
    return gather(p.m, rows_per_piece(p), [&](std::int64_t begin, std::int64_t end, Findings& f) {
      for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t col = 0; col < p.n; ++col) {
          const double value = to_double(one[row * got_ld + col]);
          const double expected = to_double(two[row * other_ld + col]);
          const double error = std::fabs(value - expected);
          const double allowed = tolerance.allowed_between(value, expected);
          f.add({{row, col}, value, expected, allowed}, error, error, expected, options);
        }
      }
    });
  });
  return found.report(p, options);
}

std::vector<std::string> describe(const Report& r) {
  const std::string checked = std::to_string(r.checked) + " of " + std::to_string(r.entries);
  if (r.ok()) {
    if (r.entries == 0) return {"right: C has no entries"};
    return {"right: " + checked + " entries checked, relative error " + rounded(r.rel_err) +
            ", largest error " + rounded(r.worst) + " of the allowed"};
  }
  const WrongEntry& first = *r.first;
  const auto pair = [](const char* open, std::int64_t row, std::int64_t col, const char* close) {
    return open + std::to_string(row) + ", " + std::to_string(col) + close;
  };
  const std::string tile_size = std::to_string(r.tile_rows) + "x" + std::to_string(r.tile_cols);
  return {
      "WRONG: " + std::to_string(r.wrong) + " wrong entries (" + checked + " checked) in " +
          std::to_string(r.wrong_tiles) + " of " + std::to_string(r.tiles) + " tiles",
      "first: " + pair("C[", first.at.row, first.at.col, "]") + " = " + number(first.got) +
          ", expected " + number(first.expected) + " +- " + rounded(first.allowed) + ", in " +
          tile_size + " tile " +
          pair("(", first.at.row / r.tile_rows, first.at.col / r.tile_cols, ")"),
  };
}

}  // namespace gemm

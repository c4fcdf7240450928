#pragma once
// What a program is asked for, and what a run found out: statistics, the result file (JSON, schema
// 1) that plots/results.py reads, and the tables on a terminal.

#include <core/program.hpp>
#include <harness/chapter.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

struct Shape {
  std::int64_t m = 0, n = 0, k = 0;

  bool empty() const { return m == 0 || n == 0 || k == 0; }
  auto operator<=>(const Shape&) const = default;
  std::string text() const {  // "4096" where all three are equal, else "4096x4096x1024"
    const std::string size = std::to_string(m);
    return m == n && n == k ? size : size + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
};

inline Shape shape_of(const gemm::Problem& problem) {
  return {problem.m, problem.n, problem.k};
}

// Shapes that nobody has tuned for: the first `count` of a seed, the same everywhere, in integers
// alone. Of each ten, in the order LSRLSRLSRL,
//   L  four are layers: (N, K) those of published language models, M log-uniform from 1 to 8192;
//   S  three are squares, log-uniform from 256 to 8192: multiples of 128 and of 16 in turn;
//   R  three are ragged: M, N, K log-uniform from 128 to 8192, rounded down to multiples of 8.
// Seeds 1 to 9 are for tuning. Every other seed is for reporting: it holds no shape that a tuning
// seed holds, and so that squares are left for it, tuning seeds draw half of their sizes only.
// `count` is at most kSweepCount: of more, some kinds would run out.
inline constexpr int kSweepCount = 100;
std::vector<Shape> sweep_shapes(std::uint64_t seed, int count);

// As --help describes them. Without a value: what the program, the mode or the chapter has.
struct Options {
  std::vector<Shape> shapes = {};
  std::optional<std::uint64_t> sweep = {};  // the seed that drew the shapes
  std::string dtype = "bf16", c_dtype = "", layout = "tn", epilogue = "identity";
  std::string backend = "", mode = "burst";
  int split = 1;
  bool check = false, bench = false, list = false, counters = false, tune = false, ablation = false;
  bool cold = false, leave_out = false;
  std::optional<int> rounds = {};
  std::vector<std::string> variants = {}, chapters = {};
  std::optional<std::string> json = {}, async = {}, trace = {};

  std::vector<std::string> words = {};  // the command line: "--size=64", "--check=true"
  std::string help = "";                // the text to print, when --help was given
};

// Throws core::Refused with one line for anything that cannot be served, whatever the program.
Options parse_options(int argc, const char* const* argv);

inline constexpr const char* kDefaultVariant = "default";  // a chapter's own choice
inline constexpr const char* kCublas = "cublas";           // as a "chapter" of its own
inline constexpr const char* kCublasBest = "lt_best";      // its variant beside the default

struct Device {
  std::string name;                                      // "NVIDIA H200"; "CPU backend"
  std::optional<int> sms = {}, compute_capability = {};  // 90 is 9.0
  std::optional<std::int64_t> l2_bytes = {}, memory_bytes = {};
  std::optional<double> dram_bytes_per_second = {}, power_cap_w = {};
};

inline std::string capability_text(int compute_capability) {  // "9.0"
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

// Made by the build.
const char* host_compiler();  // "g++ 12.2.0", "clang++ 14.0.6"
const char* commit();         // by `git describe --always --dirty`, or "unknown"

using Counters = std::vector<std::pair<std::string, double>>;

// One measurement, or the reason why there is none.
struct Row {
  std::string chapter;
  std::string variant;  // kDefaultVariant for the chapter's first
  Shape shape;
  std::string dtype = "bf16", mode;
  std::optional<std::string> skipped = {};

  double gflops_median = 0, gflops_lo = 0, gflops_hi = 0;
  std::optional<double> cublas_gflops = {}, cublas_default_gflops = {};  // the better, the default
  std::optional<double> sm_mhz = {}, power_w = {}, rel_err = {};
  std::vector<double> samples_ms = {};  // one launch, each
  bool graph = false;                   // launched through a CUDA graph
  int buffers = 1;                      // sets of operands taken in turn

  Counters counters = {};  // mode "counters" alone
};

// GFLOPS by Ceiling, and GB/s read plus written; nothing where the probe was not run.
struct Ceilings {
  std::optional<double> gflops[3], copy_gbs;
  std::optional<double>& of(Ceiling ceiling) { return gflops[static_cast<int>(ceiling)]; }
};

struct Results {
  Device device = {};
  std::vector<std::pair<std::string, std::string>> software = {};  // "cuda", "13.0"
  Options asked = {};  // with the rounds and the policy that the backend chose
  std::vector<std::pair<std::string, double>> method = {};  // "rest_ms", 60; of the mode
  Ceilings ceilings = {};
  std::vector<const Chapter*> chapters = {};
  std::vector<Row> rows = {};
  std::string earlier = {};  // the file of which this run is the rest; its rows come first

  std::string mode() const { return asked.counters ? "counters" : asked.mode; }
};

// Fills median and interval from samples_ms, which must not be empty.
void set_gflops(Row& row);

std::string to_json(const Results& results, const std::string& date);

// How many shapes of a sweep a result file holds, from the first one on: 0 where there is none.
// Throws core::Refused with one line where it is not a file of this sweep on this device.
std::size_t shapes_in(const std::string& file, const Results& results);

std::string utc_now();  // "2026-01-31T12:00:00Z"

// As std::printf writes it.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

struct Estimate {
  double median, lo, hi;
};

// The median of samples (at least one) and an interval that contains the true median with at least
// 95% probability, whatever their distribution. The number of samples below the true median is
// binomial (n, 1/2): by its normal approximation as many are left out at either end as allow that.
inline Estimate estimate(std::vector<double> samples) {
  std::ranges::sort(samples);
  const double n = static_cast<double>(samples.size());
  const auto outside =
      static_cast<std::ptrdiff_t>(std::max(0.0, (n - 1 - 1.96 * std::sqrt(n)) / 2));
  const double median = (samples[(samples.size() - 1) / 2] + samples[samples.size() / 2]) / 2;
  return {median, samples.begin()[outside], samples.end()[-1 - outside]};
}

// A sample to take: of which kernel, in which round.
struct Turn {
  std::size_t kernel;
  int round;
};

// All rounds of kernels whose samples cost that much. The order rotates, and every second round
// runs backwards: a kernel that always followed one that heats the chip would look slower than it
// is. A slow one takes part in as many rounds as fit in the budget, at least three, spread over all
// of them, so that all are measured at the same temperatures.
inline std::vector<Turn> turns(const std::vector<double>& sample_ms, int rounds, double budget_ms) {
  const std::size_t count = sample_ms.size();
  std::vector<Turn> out;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t forward = round % 2 == 0 ? place : count - 1 - place;
      const std::size_t i = (forward + static_cast<std::size_t>(round) / 2) % count;
      const double fit = budget_ms / std::max(sample_ms[i], 1e-9);
      const int own = static_cast<int>(std::clamp<double>(fit, std::min(rounds, 3), rounds));
      if (round * own / rounds != (round + 1) * own / rounds) out.push_back({i, round});
    }
  }
  return out;
}

void print(const std::string& text, std::FILE* to = stdout);

// Counters downward, kernels across, a few to a table. All have the same counters. Those that are
// zero throughout a table are left out.
std::string counter_table(const std::vector<std::pair<std::string, Counters>>& kernels);

// The lines above the tables: what runs where and how, and the measured ceilings.
std::string heading(const Results& results);

// One table for the rows of one shape. "x before" compares a chapter's default with the default of
// the chapter directly before it in `results.chapters`.
std::string speed_table(const Results& results, const std::vector<Row>& rows);

// Shows one line on a terminal that says what the program is busy with; nothing in a pipe or a
// file. print() removes it, and so does an empty line, which must stand before other output.
void progress(const std::string& what);

}  // namespace harness

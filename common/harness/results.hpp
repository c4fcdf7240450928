#pragma once
// What a run found out: the result file (JSON, schema 1) that keeps it, which plots/results.py
// reads, and the tables on a terminal (aligned columns, no colour, no control characters).

#include <core/program.hpp>
#include <harness/chapter.hpp>
#include <harness/options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

inline constexpr const char* kDefaultVariant = "default";  // a chapter's own choice
inline constexpr const char* kCublas = "cublas";           // as a "chapter" of its own
inline constexpr const char* kCublasBest = "lt_best";      // its variant beside the default

struct Device {
  std::string name;                                      // "NVIDIA H200"; "CPU backend"
  std::optional<int> sms = {}, compute_capability = {};  // 90 is 9.0
  std::optional<std::int64_t> l2_bytes = {}, memory_bytes = {};
  std::optional<double> dram_bytes_per_second = {}, power_cap_w = {};
};

std::string capability_text(int compute_capability);  // "9.0"

// Made by the build: "g++ 12.2.0", "clang++ 14.0.6"; what `git describe --always --dirty` said, or
// "unknown".
const char* host_compiler();
const char* commit();

using Counters = std::vector<std::pair<std::string, double>>;

// One measurement, or the reason why there is none.
struct Row {
  std::string chapter;
  std::string variant;  // kDefaultVariant for the chapter's first
  Shape shape;
  std::string dtype = "bf16", mode;
  std::optional<std::string> skipped = {};

  double gflops_median = 0, gflops_lo = 0, gflops_hi = 0;
  // The better cuBLAS of the same rounds, and the default one.
  std::optional<double> cublas_gflops = {}, cublas_default_gflops = {};
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
  Device device;
  std::vector<std::pair<std::string, std::string>> software;  // "cuda", "13.0"; what is known
  Options asked;                          // with the rounds and the policy that the backend chose
  double before_ms = 0, measured_ms = 0;  // rest and burst; in sustained mode preheating and timing
  Ceilings ceilings;
  std::vector<const Chapter*> chapters;
  std::vector<Row> rows;
  std::string earlier = {};  // the file of which this run is the rest; its rows come first

  std::string mode() const { return asked.counters ? "counters" : asked.mode; }
};

// Fills median and interval from samples_ms, which must not be empty.
void set_gflops(Row& row);

// The whole file. `date` is UTC, "2026-01-31T12:00:00Z".
std::string to_json(const Results& results, const std::string& date);

// The text of a result file with the chapters and rows of another's; cuBLAS' rows, which the other
// measured for itself, are left out: each row says what cuBLAS did beside it.
std::string with_rows_of(const std::string& text, const std::string& other);

// How many shapes of a sweep a result file holds, from the first one on: 0 where there is none.
// Throws core::Refused with one line where it is not a file of this sweep on this device.
std::size_t shapes_in(const std::string& file, const Results& results);

std::string utc_now();

using ResultFile = core::OutputFile;

// As std::printf writes it.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

// To standard output, at once.
void print(const std::string& text);

// Counters downward, kernels across, a few to a table: there are more counters than kernels. All
// have the same counters. Those that are zero throughout a table are left out.
std::string counter_table(const std::vector<std::pair<std::string, Counters>>& kernels);

// What ran where and how: the lines above the tables.
std::string heading(const Results& results);

// One table for the rows of one shape. "x before" compares a chapter's default with the default of
// the chapter directly before it in `results.chapters`.
std::string speed_table(const Results& results, const std::vector<Row>& rows);

// The measured ceilings, in one line.
std::string ceilings_line(const Ceilings& ceilings);

// One line on a terminal that says what the program is busy with; nothing in a pipe or a file.
class Progress {
 public:
  ~Progress() { clear(); }

  void show(const std::string& what);
  void clear();  // before anything else is printed

 private:
  bool shown_ = false;
};

}  // namespace harness

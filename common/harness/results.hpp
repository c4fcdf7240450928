#pragma once
// What a run found out, and the result file (JSON, schema 1) that keeps it. plots/results.py reads
// it.

#include <core/output_file.hpp>
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
  std::string name;  // "NVIDIA H200"; "CPU backend"
  std::optional<int> sms;
  std::optional<int> compute_capability;  // 90 is 9.0
  std::optional<std::int64_t> l2_bytes, memory_bytes;
  std::optional<double> dram_bytes_per_second, power_cap_w;
};

std::string capability_text(int compute_capability);  // "9.0"

struct Software {
  std::optional<std::string> driver, cuda, cublas;
  std::string compiler;
};

// Made by the build: "g++ 12.2.0", "clang++ 14.0.6"; what `git describe --always --dirty` said, or
// "unknown".
const char* host_compiler();
const char* commit();

// One measurement, or the reason why there is none.
struct Row {
  std::string chapter;
  std::string variant;  // kDefaultVariant for the chapter's first
  Shape shape;
  gemm::DataType dtype = gemm::DataType::kBf16;
  std::string mode;
  std::optional<std::string> skipped = {};

  double gflops_median = 0, gflops_lo = 0, gflops_hi = 0;
  std::optional<double> cublas_gflops = {};  // the better cuBLAS of the same rounds
  std::optional<double> cublas_default_gflops = {};
  std::optional<double> sm_mhz = {}, power_w = {}, rel_err = {};
  std::vector<double> samples_ms = {};  // one launch, each
  bool graph = false;                   // launched through a CUDA graph
  int buffers = 1;                      // sets of operands taken in turn

  std::vector<std::pair<std::string, double>> counters = {};  // mode "counters" alone
};

// GFLOPS by Ceiling, and GB/s read plus written; nothing where the probe was not run.
struct Ceilings {
  std::optional<double> gflops[3], copy_gbs;

  std::optional<double>& of(Ceiling ceiling) { return gflops[static_cast<int>(ceiling)]; }
};

struct Method {
  std::string mode;  // "burst", "sustained", "counters"
  std::optional<double> rest_ms, burst_ms, preheat_ms, sustained_ms;
  std::optional<int> rounds;
  std::optional<std::string> async;  // of the CPU backend
  Options asked = {};  // cold, layout, epilogue and fp32_c, where they are not the usual
};

struct Results {
  Device device;
  Software software;
  Method method;
  Ceilings ceilings;
  std::vector<const Chapter*> chapters;
  std::vector<Row> rows;
};

// Fills median and interval from samples_ms, which must not be empty.
void set_gflops(Row& row);

// The whole file. `date` is UTC, "2026-01-31T12:00:00Z".
std::string to_json(const Results& results, const std::string& date);

// The text of a result file with the chapters and rows of another's; cuBLAS' rows, which the other
// measured for itself, are left out: each row says what cuBLAS did beside it.
std::string with_rows_of(const std::string& text, const std::string& other);

std::string utc_now();

using ResultFile = core::OutputFile;

}  // namespace harness

#pragma once
// The command line of every program: what it says, and the one line that it gets when it is wrong.

#include <gemm/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct Shape {
  std::int64_t m = 0, n = 0, k = 0;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  bool empty() const { return m == 0 || n == 0 || k == 0; }
  bool operator==(const Shape&) const = default;
  std::string text() const;  // "4096" where all three are equal, else "4096x4096x1024"
};

Shape shape_of(const gemm::Problem& problem);

struct Options {
  std::vector<Shape> shapes;           // none: the program's default
  std::optional<std::uint64_t> sweep;  // the seed that drew the shapes
  std::string dtype = "bf16";
  std::string c_dtype;  // "fp32", or empty: as dtype
  std::string backend;  // "cuda", "cpu", or empty: the program's own
  bool check = false, bench = false, list = false, counters = false, tune = false, ablation = false;
  std::string mode = "burst";              // or "sustained"
  std::optional<int> rounds;               // none: as many as the mode needs
  bool cold = false;                       // no launch finds the operands of the one before
  bool leave_out = false;                  // go on where something is refused or takes too long
  std::vector<std::string> variants;       // none: the default; "all" alone: all
  std::vector<std::string> chapters;       // none: all that are linked in
  std::optional<std::string> json, async;  // result file; policy of the CPU backend
  std::string layout = "tn", epilogue = "identity";
  int split = 1;

  std::vector<std::string> given;  // the options that the command line holds, "--size" and others
  std::string help;                // the text to print, when --help was given
};

// Throws core::Refused with one line for anything that cannot be served, whatever the program.
Options parse_options(int argc, const char* const* argv);

}  // namespace harness

#pragma once
// Is C right? Answered against the fp64 reference, or against another computed C.

#include <gemm/inputs.hpp>
#include <gemm/reference.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gemm {

struct WrongEntry {
  Entry at;
  double got = 0;
  double expected = 0;
  double allowed = 0;  // |got - expected| that would have passed
};

struct Report {
  std::int64_t entries = 0;  // of C
  std::int64_t checked = 0;  // of these, compared
  std::int64_t wrong = 0;    // not within tolerance, NaN and infinity included
  std::int64_t wrong_tiles = 0;
  std::int64_t tiles = 0;           // of 128 x 128 entries
  std::optional<WrongEntry> first;  // of the wrong ones, in row-major order

  // Over the checked entries: ||got - expected|| / ||expected|| in the Euclidean norm, with the
  // expected values of the fp64 reference, unrounded; the largest error as a part of what was
  // allowed. Infinity as soon as one entry is not finite.
  double rel_err = 0;
  double worst = 0;

  bool ok() const { return wrong == 0; }
};

// kByCost: all of C is compared up to 2^28 multiplications; beyond, a sample is, and all other
// entries are searched for NaN and infinity.
enum class Coverage { kByCost, kSample };

// The reference of operands: all of C, row-major, or where C is sampled the entries of the sample.
struct Expected {
  std::vector<Entry> sample;
  std::vector<double> values;
};
Expected expected_of(const HostOperands& operands, Coverage coverage = Coverage::kByCost);

// Compares C with the reference of `operands`. `got` is C after the run in host memory, laid out as
// operands.problem says (ldc, c_type). An empty C is right.
Report verify(const HostOperands& operands, const void* got, const Expected& expected);
inline Report verify(const HostOperands& operands, const void* got) {
  return verify(operands, got, expected_of(operands));
}

// Compares two computed C's of one problem, all entries: `got` under test, `other` (from cuBLAS,
// say) as expected value. Either may be off by the tolerance for operands of these values, so their
// distance may be twice that; integer operands demand equality. Host pointers; the leading
// dimensions are got_ld and other_ld, the element type of both is problem.c_type.
Report compare(const Problem& problem, Values values, const void* got, std::int64_t got_ld,
               const void* other, std::int64_t other_ld);

// One line when right; when wrong two: how many and where, then the first wrong entry.
std::vector<std::string> describe(const Report& report);

// Which entries of a large C are worth computing twice: at least 4096 (or all, where C has fewer)
// of an (m, n) matrix, each once, in row-major order, always the same:
//   random ones in every 128 x 128 tile (beyond 65536 tiles: in 65536 of them);
//   the corners; entries of the first and last two rows and columns;
//   entries of the rows and columns next to multiples of 64, where tiles of all usual sizes begin
//   and end, and where these cross the last row and column.
std::vector<Entry> sample_entries(std::int64_t m, std::int64_t n);

}  // namespace gemm

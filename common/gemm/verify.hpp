#pragma once
// Is C right? Answered against the fp64 reference, or against another computed C.

#include <gemm/inputs.hpp>
#include <gemm/reference.hpp>
#include <gemm/tolerance.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gemm {

struct VerifyOptions {
  int tile_rows = 128;  // of the tiles that a report speaks of and that sampling covers
  int tile_cols = 128;
  // All of C is compared up to this many multiplications and entries; beyond, a sample is, and all
  // other entries are searched for NaN and infinity.
  std::int64_t whole_up_to_products = std::int64_t{1} << 28;
  std::int64_t whole_up_to_entries = std::int64_t{1} << 24;
  std::int64_t samples = 4096;  // at least
  std::uint64_t seed = 1;       // of the sample
};

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
  std::int64_t tiles = 0;  // of C
  int tile_rows = 0;
  int tile_cols = 0;
  std::optional<WrongEntry> first;  // of the wrong ones, in row-major order

  // Over the checked entries: ||got - expected|| / ||expected|| in the Euclidean norm (this is
  // "rel_err" of result files); the largest single error, relative to the root mean square of the
  // expected values; the largest error as a part of what was allowed. The expected values are those
  // of the fp64 reference, unrounded. Infinity as soon as one entry is not finite.
  double rel_err = 0;
  double max_rel_err = 0;
  double worst = 0;

  bool ok() const { return wrong == 0; }
};

// Compares C with the reference of `operands`. `got` is C after the run in host memory, laid out as
// operands.problem says (ldc, c_type). An empty C is right.
Report verify(const HostOperands& operands, const void* got, const VerifyOptions& options = {});

// Compares two computed C's of one problem, all entries: `got` under test, `other` (from cuBLAS,
// say) as expected value. Either may be off by the tolerance for operands of these values, so their
// distance may be twice that; integer operands demand equality. Host pointers; the leading
// dimensions are got_ld and other_ld, the element type of both is problem.c_type.
Report compare(const Problem& problem, Values values, const void* got, std::int64_t got_ld,
               const void* other, std::int64_t other_ld, const VerifyOptions& options = {});

// One line when right; when wrong two: how many and where, then the first wrong entry with its
// tile.
std::vector<std::string> describe(const Report& report);

}  // namespace gemm

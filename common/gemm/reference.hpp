#pragma once
// What C should be, in double precision.

#include <gemm/problem.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace gemm {

// One entry of C.
struct Entry {
  std::int64_t row = 0;
  std::int64_t col = 0;

  friend constexpr auto operator<=>(const Entry&, const Entry&) = default;
};

// epilogue(sum over k of A[row, k] * B[col, k]), summed in double precision and not rounded to C's
// type. `host` is a valid problem whose pointers are host pointers; every major, epilogue and
// element type is served, split_k is ignored. The old C is read only by kAlphaBeta with beta != 0,
// so `c` may be null otherwise.
//
// All of C: (M, N), row-major, packed. 512x512x512 takes well under a second on one core.
std::vector<double> reference(const Problem& host);

// The given entries, in their order; K multiplications each.
std::vector<double> reference(const Problem& host, std::span<const Entry> entries);

}  // namespace gemm

#pragma once
// How a matrix of the problem lies in memory, whatever its major.

#include <gemm/problem.hpp>

#include <cstdint>

namespace gemm {

// `lines` runs of `length` contiguous elements; consecutive runs start `ld` elements apart. A line
// is a row of the matrix (Major::kK, and always in C) or a column (Major::kMn).
struct Stored {
  std::int64_t lines = 0;
  std::int64_t length = 0;
  std::int64_t ld = 0;

  constexpr bool empty() const { return lines == 0 || length == 0; }

  // From the first element to the last, padding between the lines included, padding after the last
  // line excluded: what an allocation must hold at least.
  constexpr std::int64_t elements() const { return empty() ? 0 : (lines - 1) * ld + length; }
};

// The (rows, K) operand A or B.
constexpr Stored stored_operand(std::int64_t rows, std::int64_t k, std::int64_t ld, Major major) {
  return major == Major::kK ? Stored{rows, k, ld} : Stored{k, rows, ld};
}

constexpr Stored stored_a(const Problem& p) {
  return stored_operand(p.m, p.k, p.lda, p.a_major);
}
constexpr Stored stored_b(const Problem& p) {
  return stored_operand(p.n, p.k, p.ldb, p.b_major);
}
constexpr Stored stored_c(const Problem& p) {
  return Stored{p.m, p.n, p.ldc};
}

}  // namespace gemm

#pragma once
// The problem every chapter solves: C = epilogue(A * B^T), with A (M, K) and B (N, K).

#include <core/modes.hpp>
#include <core/numeric.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gemm {

enum class DataType { kBf16, kFp16, kFp32 };

std::string_view name(DataType type);
int bytes_per_element(DataType type);

// Which dimension of an operand is contiguous in memory. kK: rows of length K (the default of this
// book, "TN" in BLAS words); kMn: columns, so that consecutive m (or n) are neighbours.
using core::Major;

// What happens to an accumulator on its way to C.
enum class EpilogueKind { kIdentity, kAlphaBeta, kBiasRelu, kBias, kBiasGelu, kBiasSilu };

struct Epilogue {
  EpilogueKind kind = EpilogueKind::kIdentity;
  float alpha = 1.0f;  // kAlphaBeta: C = alpha * A B^T + beta * C
  float beta = 0.0f;
  const void* bias = nullptr;  // kBias...: C = activation(A B^T + bias[n]), N elements of `type`

  bool adds_bias() const {
    return kind != EpilogueKind::kIdentity && kind != EpilogueKind::kAlphaBeta;
  }
  // Whether C has values that no sum of integers has.
  bool is_smooth() const {
    return kind == EpilogueKind::kBiasGelu || kind == EpilogueKind::kBiasSilu;
  }
  bool reads_c() const { return kind == EpilogueKind::kAlphaBeta && beta != 0.0f; }
};

// The largest M, N or K. Kernels index with 32 bits, and a tile that begins inside a matrix may end
// up to 2^16 rows or columns behind its edge.
inline constexpr std::int64_t kLargestSize = (std::int64_t{1} << 31) - (1 << 16);

// Sizes and leading dimensions count elements. Pointers are device pointers; they may be null where
// the matrix has no elements. A leading dimension is the distance between consecutive rows (kK) or
// columns (kMn) of the matrix and may exceed the packed value.
struct Problem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  DataType type = DataType::kBf16;    // of A and B
  DataType c_type = DataType::kBf16;  // of C
  const void* a = nullptr;            // (M, K)
  std::int64_t lda = 0;
  const void* b = nullptr;  // (N, K)
  std::int64_t ldb = 0;
  void* c = nullptr;  // (M, N), row-major
  std::int64_t ldc = 0;
  Major a_major = Major::kK;
  Major b_major = Major::kK;
  Epilogue epilogue;
  int split_k = 1;  // parts that K is cut into; 1: not cut

  double flops() const;       // 2 M N K
  std::string shape() const;  // "MxNxK"
};

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

// Throws core::Refused with one line naming `who`, the parameter, its value and the rule it breaks.
void validate(const Problem& problem, std::string_view who);

// Calls f.template operator()<T>() with the C++ type of A and B. Validation has refused other
// types. GEMM_BF16_ALONE: for the compile gate, which needs no second type.
template <class F>
auto dispatch_type([[maybe_unused]] DataType type, F&& f) {
#if !defined(GEMM_BF16_ALONE)
  if (type == DataType::kFp16) return f.template operator()<core::fp16>();
#endif
  return f.template operator()<core::bf16>();
}

}  // namespace gemm

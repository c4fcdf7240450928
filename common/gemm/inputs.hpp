#pragma once
// Operands to test and measure with: deterministic, independent of layout, NaN wherever a kernel
// has no business to read.

#include <gemm/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gemm {

// kUniform: [-1, 1], rounded to the element type. kIntegers: small integers, chosen so that every
// sum a kernel can form on its way is an integer that float holds exactly; then any order of
// summation gives the same C and verification asks for equality.
enum class Values { kUniform, kIntegers };

// Largest magnitude r of the integers that fill A and B: at most 8, and
//   K * r^2 <= 2^24, so that every partial sum, in any order, is exact in fp32;
//   for an fp16 C, 8 standard deviations of a sum, 8 * sqrt(K) * r * (r + 1) / 3, stay below 60000
//   (fp16 ends at 65504).
// Sums usually need more bits than C has, so C's rounding to nearest even is tested too. Throws
// core::Refused when K > 2^24: no such r exists.
int integer_range(std::int64_t k, DataType c_type);

// Bits of NaN in bf16, fp16 and (twice) in fp32. kPoison fills outputs and guards, kInputPadding
// the padding of inputs; arithmetic produces neither.
inline constexpr std::uint16_t kPoison = 0x7fd5;
inline constexpr std::uint16_t kInputPadding = 0x7fe3;

// Fills an even number of bytes.
void fill_pattern(void* data, std::size_t bytes, std::uint16_t pattern);

// Fills the (rows, cols) matrix in host memory; padding is left alone. The same matrix comes out
// under any leading dimension and major. `range` is the largest integer for kIntegers.
void fill_matrix(void* data, DataType type, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                 Major major, Values values, int range, std::uint64_t seed);

// One problem in host memory.
struct HostOperands {
  Problem problem;  // as asked for, its pointers into the vectors below
  Values values = Values::kUniform;
  int range = 0;  // of the integers
  std::vector<std::byte> a, b;
  std::vector<std::byte> c;     // C before the run: random where the epilogue reads it, else poison
  std::vector<std::byte> bias;  // N elements, empty unless the epilogue adds a bias

  HostOperands() = default;
  HostOperands(HostOperands&&) = default;  // the vectors' memory moves along
  HostOperands& operator=(HostOperands&&) = default;
};

// Packed leading dimensions (K, K, N), no pointers, C of the same type as A and B.
Problem packed_problem(std::int64_t m, std::int64_t n, std::int64_t k, DataType type);

// Operands for the sizes, types, majors, leading dimensions and epilogue of `shape`, whose pointers
// are ignored. Padding of A and B holds kInputPadding, padding of C poison. An integer C before the
// run and integer bias stay within `range`. With kIntegers keep alpha and beta small integers.
HostOperands make_operands(const Problem& shape, Values values, std::uint64_t seed);

}  // namespace gemm

#pragma once
// Operands to test and measure with: deterministic, independent of layout, NaN wherever a kernel
// has no business to read.

#include <gemm/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
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

// Every byte of what fills outputs, guards and padding: NaN in bf16, fp16 and fp32, with bits that
// neither a GPU's arithmetic nor a conversion produces.
inline constexpr std::byte kPoison{0xff};

// Memory that a vector does not write to by itself: new pages take long, and go faster where all
// cores touch them.
template <class T>
struct Uninitialized : std::allocator<T> {
  void construct(T*) {}
};
using Bytes = std::vector<std::byte, Uninitialized<std::byte>>;

// So many bytes of poison.
Bytes poisoned(std::int64_t bytes);

// Fills the (rows, cols) matrix in host memory; padding is left alone. The same matrix comes out
// under any leading dimension and major. `range` is the largest integer for kIntegers.
void fill_matrix(void* data, DataType type, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                 Major major, Values values, int range, std::uint64_t seed);

// One problem in host memory.
struct HostOperands {
  Problem problem;  // as asked for, its pointers into the vectors below
  Values values = Values::kUniform;
  int range = 0;  // of the integers
  Bytes a, b;
  Bytes c;     // C before the run: random where the epilogue reads it, else poison
  Bytes bias;  // N elements, empty unless the epilogue adds a bias

  HostOperands() = default;
  HostOperands(HostOperands&&) = default;  // the vectors' memory moves along
  HostOperands& operator=(HostOperands&&) = default;
};

// Packed leading dimensions (K, K, N), no pointers, C of the same type as A and B.
Problem packed_problem(std::int64_t m, std::int64_t n, std::int64_t k, DataType type);

// Operands for the sizes, types, majors, leading dimensions and epilogue of `shape`, whose pointers
// are ignored. Padding holds poison. An integer C before the
// run and integer bias stay within `range`. With kIntegers keep alpha and beta small integers.
HostOperands make_operands(const Problem& shape, Values values, std::uint64_t seed);

}  // namespace gemm

#include <gemm/inputs.hpp>

#include <gemm/element.hpp>
#include <gemm/parallel.hpp>
#include <gemm/random.hpp>

#include <core/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace gemm {
namespace {

// 16 random bits for every index: a quarter of a mixed counter.
std::uint32_t random_bits(std::uint64_t seed, std::int64_t index) {
  const std::uint64_t word = counter_bits(seed, static_cast<std::uint64_t>(index / 4));
  return static_cast<std::uint32_t>(word >> (index % 4 * 16)) & 0xffffu;
}

// Of kUniform the middle of one of 65536 equal pieces of [-1, 1].
float value_of(std::uint32_t bits, Values values, int range) {
  if (values == Values::kUniform) return (2.0f * static_cast<float>(bits) - 65535.0f) / 65536.0f;
  const std::uint32_t count = 2 * static_cast<std::uint32_t>(range) + 1;
  return static_cast<float>(static_cast<int>(bits * count >> 16) - range);
}

}  // namespace

int integer_range(std::int64_t k, DataType c_type) {
  constexpr std::int64_t kExactInFp32 = std::int64_t{1} << 24;
  if (k > kExactInFp32) {
    throw core::Refused("k = " + std::to_string(k) +
                        ": integer inputs stay exact in fp32 only up to k = 16777216");
  }
  int range = 8;
  const auto too_wide = [&](int r) {
    if (k * r * r > kExactInFp32) return true;
    const double spread = std::sqrt(static_cast<double>(k)) * r * (r + 1) / 3;
    return c_type == DataType::kFp16 && 8 * spread > 60000;
  };
  while (range > 1 && too_wide(range)) --range;
  return range;
}

Bytes poisoned(std::int64_t bytes) {
  constexpr std::int64_t kPart = 1 << 22;
  Bytes out(static_cast<std::size_t>(bytes));
  parallel_for((bytes + kPart - 1) / kPart, [&](std::int64_t part) {
    std::fill_n(out.data() + part * kPart, std::min(kPart, bytes - part * kPart), kPoison);
  });
  return out;
}

void fill_matrix(void* data, DataType type, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                 Major major, Values values, int range, std::uint64_t seed) {
  const Stored stored = stored_operand(rows, cols, ld, major);
  // In the numbering row * cols + col.
  const std::int64_t line_step = major == Major::kK ? cols : 1;
  const std::int64_t item_step = major == Major::kK ? 1 : cols;
  parallel_for(stored.lines, [&](std::int64_t line) {
    dispatch_any_type(type, [&]<class T>() {
      T* out = static_cast<T*>(data) + line * ld;
      for (std::int64_t item = 0; item < stored.length; ++item) {
        const std::uint32_t bits = random_bits(seed, line * line_step + item * item_step);
        out[item] = narrow<T>(value_of(bits, values, range));
      }
    });
  });
}

Problem packed_problem(std::int64_t m, std::int64_t n, std::int64_t k, DataType type) {
  Problem p = {.m = m, .n = n, .k = k, .type = type, .c_type = type, .epilogue = {}};
  p.lda = p.ldb = k;
  p.ldc = n;
  return p;
}

HostOperands make_operands(const Problem& shape, Values values, std::uint64_t seed) {
  HostOperands out;
  out.problem = shape;
  out.values = values;
  out.range = values == Values::kIntegers ? integer_range(shape.k, shape.c_type) : 0;

  Problem& p = out.problem;
  const auto made = [&](unsigned number, DataType type, std::int64_t rows, std::int64_t cols,
                        std::int64_t ld, Major major, bool random = true) {
    const Stored stored = stored_operand(rows, cols, ld, major);
    Bytes bytes = poisoned(stored.elements() * bytes_per_element(type));
    if (random) {
      fill_matrix(bytes.data(), type, rows, cols, ld, major, values, out.range, 4 * seed + number);
    }
    return bytes;
  };
  out.a = made(0, p.type, p.m, p.k, p.lda, p.a_major);
  out.b = made(1, p.type, p.n, p.k, p.ldb, p.b_major);
  out.c = made(2, p.c_type, p.m, p.n, p.ldc, Major::kK, p.epilogue.reads_c());
  if (p.epilogue.adds_bias()) out.bias = made(3, p.type, 1, p.n, p.n, Major::kK);
  p.a = out.a.data();
  p.b = out.b.data();
  p.c = out.c.data();
  p.epilogue.bias = out.bias.data();
  return out;
}

}  // namespace gemm

#include <gemm/inputs.hpp>

#include <gemm/element.hpp>
#include <gemm/parallel.hpp>
#include <gemm/random.hpp>

#include <core/error.hpp>

#include <cmath>
#include <cstring>
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

void fill_pattern(void* data, std::size_t bytes, std::uint16_t pattern) {
  auto* out = static_cast<std::byte*>(data);
  for (std::size_t i = 0; i + 1 < bytes; i += 2) std::memcpy(out + i, &pattern, 2);
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
  const auto room = [](const Stored& stored, DataType type, std::uint16_t padding) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(stored.elements()) *
                                 static_cast<std::size_t>(bytes_per_element(type)));
    fill_pattern(bytes.data(), bytes.size(), padding);
    return bytes;
  };
  out.a = room(stored_a(p), p.type, kInputPadding);
  out.b = room(stored_b(p), p.type, kInputPadding);
  out.c = room(stored_c(p), p.c_type, kPoison);
  p.a = out.a.data();
  p.b = out.b.data();
  p.c = out.c.data();
  fill_matrix(out.a.data(), p.type, p.m, p.k, p.lda, p.a_major, values, out.range, 4 * seed);
  fill_matrix(out.b.data(), p.type, p.n, p.k, p.ldb, p.b_major, values, out.range, 4 * seed + 1);

  const bool reads_c = p.epilogue.kind == EpilogueKind::kAlphaBeta && p.epilogue.beta != 0.0f;
  if (reads_c) {
    fill_matrix(out.c.data(), p.c_type, p.m, p.n, p.ldc, Major::kK, values, out.range,
                4 * seed + 2);
  }
  p.epilogue.bias = nullptr;
  if (p.epilogue.kind == EpilogueKind::kBiasRelu) {
    out.bias = room(Stored{1, p.n, p.n}, p.type, kInputPadding);
    p.epilogue.bias = out.bias.data();
    fill_matrix(out.bias.data(), p.type, 1, p.n, p.n, Major::kK, values, out.range, 4 * seed + 3);
  }
  return out;
}

}  // namespace gemm

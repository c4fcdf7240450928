#pragma once
// What the wgmma cases share: operands as bytes in shared memory, after the canonical
// layouts, and fragments (PTX ISA, "Asynchronous Warpgroup-level Matrix Shared Memory Layout",
// "Strides", "Register Fragments").

#include "device.hpp"

#include <core/modes.hpp>

#include <cmath>
#include <concepts>
#include <cstdlib>
#include <numeric>

namespace intrinsics {

using core::Major;
using core::SwizzleMode;

constexpr int kWarpgroup = 128, kMaxSteps = 4;

// What a kernel must know to make an operand's descriptors.
struct Operand {
  SwizzleMode swizzle;
  int leading, stride;     // LBO and SBO, in bytes
  int advance[kMaxSteps];  // bytes from the first instruction's descriptor to each next one's

  __device__ core::MatrixDescriptor descriptor(const void* tile) const {
    return gpu::matrix_descriptor(tile, swizzle, leading, stride);
  }
};

// A thread's registers of result number `result`. `out`: (result, thread, register).
template <class D, int kRegisters>
__device__ void put(std::uint32_t* out, const D (&d)[kRegisters], int result = 0) {
  out += (result * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x)) * kRegisters;
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) out[i] = std::bit_cast<std::uint32_t>(d[i]);
}

// What multiplies: sign, exponent, fraction; integers have no exponent.
struct Type {
  const char* name;
  int bits, exponent_bits;

  bool is_signed() const { return name[0] != 'u'; }
  // Of small inputs: their sums are exact also in the accumulators of 8-bit floats.
  int largest() const { return exponent_bits > 0 ? 4 : is_signed() ? 127 : 255; }
  int unit() const { return 128 / bits; }    // elements in 16 bytes
  int k_step() const { return 256 / bits; }  // K of one instruction
  // Of a number that the type holds; of floats one that is normal in it, or 0.
  std::uint32_t encode(int number) const {
    if (exponent_bits == 0) return static_cast<std::uint32_t>(number) & 0xff;
    const auto in = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    const std::uint32_t sign = in >> 31 << (bits - 1);
    if (number == 0) return sign;
    const std::uint32_t bias = (1u << (exponent_bits - 1)) - 1;
    const std::uint32_t exponent = (in >> 23 & 0xff) - 127 + bias;
    const std::uint32_t fraction = (in & 0x7fffff) << 9 >> (1 + exponent_bits) >> (32 - bits);
    return sign | exponent << (bits - 1 - exponent_bits) | fraction;
  }
  // Of 8-bit floats: how many positive numbers are finite, and what a code stands for.
  int finite() const { return exponent_bits == 4 ? 0x7e : 0x7b; }
  float decode(int code) const {
    const int fraction_bits = 7 - exponent_bits, exponent = (code & 0x7f) >> fraction_bits;
    const int implied = exponent > 0 ? 1 << fraction_bits : 0,
              bias = (1 << (exponent_bits - 1)) - 1;
    const int significand = code % (1 << fraction_bits) + implied;
    const int power = std::max(exponent, 1) - bias - fraction_bits;
    return static_cast<float>(std::ldexp(code < 0x80 ? significand : -significand, power));
  }
};
template <class T>
constexpr Type type_of() {
  if constexpr (core::Int8<T>) return {std::is_signed_v<T> ? "s8" : "u8", 8, 0};
  if constexpr (!core::Int8<T>) return {T::kName, 8 * sizeof(T), T::kExponentBits};
}
template <class T>
inline constexpr Type kType = type_of<T>();

// Accumulators.
enum class Sum { kF32, kF16, kS32 };
template <class D>
inline constexpr Sum kSum = std::same_as<D, float>          ? Sum::kF32
                            : std::same_as<D, std::int32_t> ? Sum::kS32
                                                            : Sum::kF16;

// Where the elements (mn, k) of an operand lie.
struct OperandLayout {
  Major major;
  SwizzleMode swizzle;
  int mn, k;
  int to_mn, to_k;  // bytes from an atom to the next along either
  Type type = kType<core::bf16>;

  // Along the contiguous index, units of 16 bytes, `width` of them to an atom; 8 lines of these
  // are the atom.
  int width() const { return core::span_bytes(swizzle) / 16; }
  int atoms(int extent, bool along) const {
    const int one = along ? type.unit() * width() : 8;
    return (extent + one - 1) / one;
  }
  int bytes() const {
    const bool k_major = major == Major::kK;
    return (atoms(mn, !k_major) - 1) * to_mn + (atoms(k, k_major) - 1) * to_k + 128 * width();
  }
  int byte(int row, int col) const {
    const bool k_major = major == Major::kK;
    const int along = k_major ? col : row, across = k_major ? row : col, w = width();
    const int unit = along / type.unit(), rest = along % type.unit() * type.bits / 8;
    const int at = unit / w * (k_major ? to_k : to_mn) + unit % w * 16 + rest +
                   across / 8 * (k_major ? to_mn : to_k) + across % 8 * w * 16;
    return static_cast<int>(core::swizzled(swizzle, static_cast<std::uint32_t>(at)));
  }
  // Without a swizzle LBO and SBO of an operand that is not K-major change places.
  Operand operand() const {
    const bool plain = width() == 1;
    Operand out = {swizzle, plain ? to_k : 16, to_mn, {}};
    if (major == Major::kMn && !plain) out = {swizzle, to_mn, to_k, {}};
    for (int step = 0; step < kMaxSteps; ++step) out.advance[step] = byte(0, type.k_step() * step);
    return out;
  }
};

// Atoms side by side, along M or N first; or, `spread`, along K first, and with gaps.
inline OperandLayout operand_layout(Major major, SwizzleMode swizzle, int mn, int k, bool spread,
                                    const Type& type = kType<core::bf16>) {
  OperandLayout out{major, swizzle, mn, k, 0, 0, type};
  const int w = out.width(), atom = 128 * w;
  // The gap is one of 16 bytes where no pattern of addresses is to be kept.
  const int row = out.atoms(k, major == Major::kK) * atom + (w == 1 ? 16 : atom);
  out.to_mn = spread ? row : atom;
  out.to_k = spread ? atom : out.atoms(mn, major == Major::kMn) * atom;
  return out;
}

// Elements from small integers, row by row, `k` to a row.
struct Elements {
  std::vector<int> values;
  int k;
  Type type = kType<core::bf16>;

  // 32 bits of a row, from column `col` on.
  std::uint32_t word(int row, int col) const {
    std::uint32_t out = 0;
    for (int i = 0; i < 32 / type.bits; ++i) {
      out |= type.encode(values[row * k + col + i]) << i * type.bits;
    }
    return out;
  }
};

// The operand in shared memory, with ones, a NaN, everywhere else.
inline Words image(const OperandLayout& layout, const Elements& elements) {
  std::vector<unsigned char> out(static_cast<std::size_t>(layout.bytes()), 0xff);
  for (int row = 0; row < layout.mn; ++row) {
    for (int col = 0; col < layout.k; ++col) {
      const std::uint32_t bits = elements.type.encode(elements.values[row * layout.k + col]);
      std::memcpy(&out[layout.byte(row, col)], &bits,
                  static_cast<std::size_t>(layout.type.bits / 8));
    }
  }
  return recast(out);
}

// Values of a fragment of 64 rows, two neighbours in a row at a time: pair p of thread t (warp w,
// lane l) holds row 16 w + l/4 + 8 (p%2), columns 2 (l%4) + 8 (p/2) and the next. Register p of A
// and of packed accumulators is one pair, registers 2p and 2p + 1 of fp32 accumulators are.
template <class Use>
void for_each_pair(int pairs, Use use, int threads = kWarpgroup) {
  for (int thread = 0; thread < threads; ++thread) {
    const int first = thread / 32 * 16 + thread % 32 / 4;
    for (int p = 0; p < pairs; ++p) use(first + 8 * (p % 2), 2 * (thread % 4) + 8 * (p / 2));
  }
}

// What an instruction takes of A (64 x k), from column `first` on: (thread, 4). A register is 32
// bits of a row, where a pair of 16-bit elements would be.
inline void add_a_registers(const Elements& a, int first, Words& out) {
  const int in_one = 32 / a.type.bits;
  for_each_pair(4, [&](int row, int col) { out.push_back(a.word(row, first + col / 2 * in_one)); });
}

// D (64 x n; of a warp 16 x n) as registers hold it: (thread, register).
inline Words accumulators(int n, Sum sum, const std::vector<int>& d, int threads = kWarpgroup) {
  const Elements halves{d, n, kType<core::fp16>};
  Words out;
  const auto put = [&](int row, int col) {
    if (sum == Sum::kF16) return out.push_back(halves.word(row, col));
    for (int i = 0; i < 2; ++i) {
      const int number = d[row * n + col + i];
      out.push_back(sum == Sum::kS32 ? static_cast<std::uint32_t>(number)
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(number)));
    }
  };
  for_each_pair(n / 4, put, threads);
  return out;
}

// A B^T, of `rows` rows of A from `first` on.
inline std::vector<int> product(const Elements& a, const Elements& b, int first = 0,
                                int rows = 64) {
  std::vector<int> out;
  for (int row = first; row < first + rows; ++row) {
    for (std::size_t col = 0; col < b.values.size() / b.k; ++col) {
      out.push_back(std::inner_product(&a.values[row * a.k], &a.values[row * a.k] + a.k,
                                       &b.values[col * b.k], 0));
    }
  }
  return out;
}

struct Storage {
  alignas(1024) std::uint32_t a[16 * 1024 / 4];
  alignas(1024) std::uint32_t b[64 * 1024 / 4];
};

// What a kernel of one warpgroup is told, beside images, registers of A (step, thread, 4) and
// accumulators (thread, register).
struct Arguments {
  Operand a, b;
  unsigned a_words, b_words;
  int n, steps;
  bool accumulate;  // in the first step; the later ones always do

  __device__ void fill(Storage& smem, const std::uint32_t* image_a,
                       const std::uint32_t* image_b) const {
    copy(smem.a, image_a, a_words);
    copy(smem.b, image_b, b_words);
    gpu::fence_proxy_async();
    __syncthreads();
  }
};

// An instruction, and the kernel that tries it.
struct Form {
  void (*kernel)(Arguments, const std::uint32_t* image_a, const std::uint32_t* image_b,
                 const std::uint32_t* a_registers, const std::uint32_t* in, std::uint32_t* out);
  Type a, b;
  Sum sum;
  int n;
  bool a_registers;
  int sign_a, sign_b;
  Major major_a = Major::kK, major_b = Major::kK;
  bool saturates = false;

  std::string text() const {  // "m64n32k16.f32.bf16.ss.a_k.b_k", "m64n32k32.s32.s8.u8.rs"
    constexpr const char* kSums[] = {".f32.", ".f16.", ".s32."};
    const auto letter = [](Major major) { return major == Major::kK ? "k" : "mn"; };
    const bool majors = a.bits == 16;
    return name("m64n", n, "k", a.k_step(), kSums[static_cast<int>(sum)], a.name,
                majors ? "" : name(".", b.name), saturates ? ".satfinite" : "",
                a_registers ? ".rs" : ".ss",
                majors ? name(".a_", letter(major_a), ".b_", letter(major_b)) : "",
                sign_a < 0 ? ".neg_a" : "", sign_b < 0 ? ".neg_b" : "");
  }
};

// How a form is tried. The inputs are small, and their sums are exact in every accumulator; or
// their sums leave the range of int32, in any order of the additions, because all that is added to
// an accumulator has the accumulator's sign; or A holds every finite number of its 8 bits but 0,
// each multiplied by 1.
enum class Inputs { kSmall, kEdge, kAllOfA };
struct Setting {
  SwizzleMode swizzle_a, swizzle_b;
  bool spread;  // operand_layout()
  int steps;
  bool accumulate;
  Inputs inputs = Inputs::kSmall;
};

inline Outcome run_form(Random& random, const Form& form, const Setting& s) {
  const int n = form.n, k = form.a.k_step() * s.steps;
  const bool edge = s.inputs == Inputs::kEdge, all = s.inputs == Inputs::kAllOfA;
  const auto elements = [&](int rows, const Type& type) {
    Elements out{random.smalls(static_cast<std::size_t>(rows * k), type.largest()), k, type};
    for (int i = 0; i < rows * k; ++i) {
      int& value = out.values[i];
      const bool negative = edge ? i / k % 2 != 0 : value < 0;
      value = negative && type.is_signed() ? -std::abs(value) : std::abs(value);
    }
    return out;
  };
  Elements a = elements(64, form.a), b = elements(n, form.b);
  for (int i = 0; all && i < 64 * k; ++i) {
    const int finite = form.a.finite();
    a.values[i] = (1 + i % finite) | i / finite % 2 << 7;
  }
  for (int i = 0; all && i < n * k; ++i) b.values[i] = i / k % k == i % k ? 1 : 0;
  if (all) a.type = kType<core::u8>;  // its values are codes

  const std::vector<int> products = product(a, b);
  std::vector<int> d = random.smalls(products.size(), 100);
  for (int i = 0; edge && i < 64 * n; ++i) {
    d[i] = INT32_MAX - random.below(4'000'000);
    if (products[i] < 0) d[i] = -d[i];
  }
  Words in = accumulators(n, form.sum, d);
  if (!s.accumulate) in.assign(in.size(), 0xffffffff);  // NaN, and never read
  for (std::size_t i = 0; i < d.size(); ++i) {
    const std::int64_t sum = std::int64_t{s.accumulate ? d[i] : 0} +
                             form.sign_a * form.sign_b * std::int64_t{products[i]};
    d[i] = static_cast<int>(form.saturates ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX)
                                           : sum);
  }
  Words expected = accumulators(n, form.sum, d);
  for (std::size_t i = 0; all && i < expected.size(); ++i) {
    const auto code = static_cast<int>(std::bit_cast<float>(expected[i]));
    expected[i] = std::bit_cast<std::uint32_t>(form.a.decode(code));
  }

  Words a_registers;
  for (int step = 0; step < s.steps; ++step) {
    add_a_registers(a, form.a.k_step() * step, a_registers);
  }
  const OperandLayout layout_a = operand_layout(form.major_a, s.swizzle_a, 64, k, s.spread, form.a);
  const OperandLayout layout_b = operand_layout(form.major_b, s.swizzle_b, n, k, s.spread, form.b);
  const Words image_a = image(layout_a, a), image_b = image(layout_b, b);
  const auto words = [](const Words& image) { return static_cast<unsigned>(image.size()); };
  return check(
      form.kernel, grid(1, kWarpgroup, sizeof(Storage)), expected,
      Arguments{layout_a.operand(), layout_b.operand(), form.a_registers ? 0 : words(image_a),
                words(image_b), n, s.steps, s.accumulate},
      image_a, image_b, a_registers, in);
}

inline void add_form(Cases& cases, const std::string& family, const Form& form, const Setting& s) {
  constexpr const char* kInputs[] = {"", ".edge", ".all_of_a"};
  add(cases,
      name(family, "/", form.text(), "/", form.a_registers ? "" : swizzle_name(s.swizzle_a) + ".",
           swizzle_name(s.swizzle_b), s.spread ? ".spread" : "", ".steps=", s.steps,
           s.accumulate ? ".add" : "", kInputs[static_cast<int>(s.inputs)]),
      run_form, form, s);
}

}  // namespace intrinsics

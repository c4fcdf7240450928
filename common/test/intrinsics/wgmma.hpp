#pragma once
// What the wgmma cases share: operands as bytes in shared memory, after the canonical
// layouts, and fragments (PTX ISA, "Asynchronous Warpgroup-level Matrix Shared Memory Layout",
// "Strides", "Register Fragments").

#include "device.hpp"

#include <core/modes.hpp>

#include <concepts>
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
};
constexpr Type kBf16{"bf16", 16, 8}, kFp16{"fp16", 16, 5}, kTf32{"tf32", 32, 8},
    kE4m3{"e4m3", 8, 4}, kE5m2{"e5m2", 8, 5}, kS8{"s8", 8, 0}, kU8{"u8", 8, 0};

// Where the elements (mn, k) of an operand lie.
struct OperandLayout {
  Major major;
  SwizzleMode swizzle;
  int mn, k;
  int to_mn, to_k;  // bytes from an atom to the next along either
  Type type = kBf16;

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
                                    const Type& type = kBf16) {
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
  Type type = kBf16;

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
inline Words accumulators(int n, bool packed, const std::vector<int>& d, int threads = kWarpgroup) {
  const Elements halves{d, n, kFp16};
  Words out;
  const auto put = [&](int row, int col) {
    if (packed) {
      out.push_back(halves.word(row, col));
    } else {
      for (int i = 0; i < 2; ++i) {
        out.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(d[row * n + col + i])));
      }
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

}  // namespace intrinsics

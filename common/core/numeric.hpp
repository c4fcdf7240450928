#pragma once
// The types that tensor cores multiply, vectors of the 16-bit ones, and the conversion of float to
// those, bit by bit, on any machine. Device code converts through <gpu/convert.hpp>.

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace core {

struct bf16 {
  std::uint16_t bits;  // 1 sign, 8 exponent (bias 127), 7 fraction: the upper half of a float
  static constexpr int kFractionBits = 7, kExponentBits = 8;
  static constexpr const char* kName = "bf16";
};

struct fp16 {
  std::uint16_t bits;  // 1 sign, 5 exponent (bias 15), 10 fraction: IEEE binary16
  static constexpr int kFractionBits = 10, kExponentBits = 5;
  static constexpr const char* kName = "fp16";
};

template <class T>
concept SmallFloat = std::same_as<T, bf16> || std::same_as<T, fp16>;

// The other elements that wgmma multiplies, by their names in PTX.
struct tf32 {
  std::uint32_t bits;  // a float of which the tensor cores read the upper 19 bits
  static constexpr int kExponentBits = 8;
  static constexpr const char* kName = "tf32";
};
struct e4m3 {
  std::uint8_t bits;  // 1 sign, 4 exponent (bias 7), 3 fraction; no infinity, 0x7f is NaN
  static constexpr int kExponentBits = 4;
  static constexpr const char* kName = "e4m3";
};
struct e5m2 {
  std::uint8_t bits;  // 1 sign, 5 exponent, 2 fraction: the upper half of an fp16
  static constexpr int kExponentBits = 5;
  static constexpr const char* kName = "e5m2";
};
using s8 = std::int8_t;
using u8 = std::uint8_t;

template <class T>
concept Float8 = std::same_as<T, e4m3> || std::same_as<T, e5m2>;
template <class T>
concept Int8 = std::same_as<T, s8> || std::same_as<T, u8>;

// Whether there is a wgmma of A's rows times B's with accumulators D: float, std::int32_t, or
// std::uint32_t for two fp16.
template <class A, class B, class D>
constexpr bool wgmma_multiplies() {
  constexpr bool kSame = std::same_as<A, B>, kFloat = std::same_as<D, float>;
  if (Int8<A> && Int8<B>) return std::same_as<D, std::int32_t>;
  const bool halves = std::same_as<D, std::uint32_t>;
  if (Float8<A> && Float8<B>) return kFloat || halves;
  if (std::same_as<A, fp16> && kSame) return kFloat || halves;
  return kFloat && kSame && (std::same_as<A, bf16> || std::same_as<A, tf32>);
}

// Whether it has this width: N of m64nN.
template <class D>
constexpr bool wgmma_has_width(int n) {
  if (n < 8 || n > 256 || n % 8 != 0) return false;
  return !std::same_as<D, std::int32_t> || n % 16 == 0 || n <= 24;
}

// IEEE 754 section 4.3, and two of CUTLASS's NumericConverter. Behind each: the name in CUTLASS's
// FloatRoundStyle, and in PTX's cvt where it has it. Every kernel here uses kToNearestEven.
enum class Rounding {
  kToNearestEven,        // round_to_nearest, .rn
  kToNearestEvenFinite,  // round_to_nearest_satfinite, .rn.satfinite: infinity never results
  kToNearestAway,        // round_half_ulp_truncate: ties away from zero
  kToNearestAwayNormal,  // round_half_ulp_trunc_dntz: the same, but subnormal results toward zero
  kTowardZero,           // round_toward_zero, .rz
  kTowardPositive,       // round_toward_infinity
  kTowardNegative        // round_toward_neg_infinity
};

// float -> T under the rounding mode R. Overflow follows IEEE 754: infinity under the nearest
// modes, the largest finite number where the mode points back toward zero. NaN stays a quiet NaN
// and keeps its sign; subnormal results are produced, not flushed.
template <SmallFloat T, Rounding R = Rounding::kToNearestEven>
constexpr T from_float(float value) {
  constexpr int kFraction = T::kFractionBits;
  constexpr int kBias = (1 << (T::kExponentBits - 1)) - 1;
  constexpr std::uint32_t kInfinity = ((1u << T::kExponentBits) - 1) << kFraction;
  constexpr bool kFinite = R == Rounding::kToNearestEvenFinite;
  constexpr bool kAway = R == Rounding::kToNearestAway || R == Rounding::kToNearestAwayNormal;
  constexpr bool kNearest = kAway || kFinite || R == Rounding::kToNearestEven;

  const std::uint32_t in = std::bit_cast<std::uint32_t>(value), magnitude = in & 0x7fffffffu;
  const std::uint32_t sign_bit = in >> 31 << 15;
  if (magnitude >= 0x7f800000u) {  // infinity or NaN
    const std::uint32_t quiet = magnitude > 0x7f800000u ? 1u << (kFraction - 1) : 0;
    const std::uint32_t special = kFinite && quiet == 0 ? kInfinity - 1 : kInfinity | quiet;
    return T{static_cast<std::uint16_t>(sign_bit | special)};
  }

  // The result counts in units of 2^(exponent - kFraction); below the normal range the unit stops
  // shrinking, which is what makes subnormals. As a double the count of units is exact.
  const int of_float = static_cast<int>(magnitude >> 23) - 127;
  const int exponent = of_float > 1 - kBias ? of_float : 1 - kBias;
  const auto scale = std::bit_cast<double>(std::uint64_t{1023u + kFraction - exponent} << 52);
  const double units = std::bit_cast<float>(magnitude) * scale;
  std::uint32_t out = static_cast<std::uint32_t>(units);
  const double rest = units - out;
  const bool outward = R == (sign_bit ? Rounding::kTowardNegative : Rounding::kTowardPositive);
  const bool tie_up = kAway || (out & 1) != 0;
  const bool truncated = R == Rounding::kToNearestAwayNormal && out < 1u << kFraction;
  if (kNearest ? !truncated && (rest > 0.5 || (rest == 0.5 && tie_up)) : outward && rest > 0) ++out;

  // Adding the exponent field arithmetically lets a carry out of the fraction raise the exponent.
  if (out >= 1u << kFraction) out += static_cast<std::uint32_t>(exponent + kBias - 1) << kFraction;
  if (out >= kInfinity) out = (kNearest && !kFinite) || outward ? kInfinity : kInfinity - 1;
  return T{static_cast<std::uint16_t>(sign_bit | out)};
}

// Exact: every number of these types is a float.
constexpr float to_float(bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// Without branches, for compilers to vectorise: the fields in a float's places are worth 2^-112 of
// the value, subnormal or not.
constexpr float to_float(fp16 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t fields = static_cast<std::uint32_t>(value.bits & 0x7fffu) << 13;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(fields) * 0x1p112f);
  return std::bit_cast<float>(sign | (fields < 0x1fu << 23 ? finite : fields | 0x7f800000u));
}

constexpr float to_float(tf32 value) {
  return std::bit_cast<float>(value.bits & 0xffffe000u);
}
constexpr float to_float(e5m2 value) {
  return to_float(fp16{static_cast<std::uint16_t>(value.bits << 8)});
}
// As for fp16: the fields in a float's places are worth 2^-120 of the value.
constexpr float to_float(e4m3 value) {
  const std::uint32_t magnitude = value.bits & 0x7fu, sign = value.bits & 0x80u;
  const auto finite =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 20) * 0x1p120f);
  return std::bit_cast<float>(sign << 24 | (magnitude == 0x7f ? 0x7fc00000u : finite));
}
template <Int8 T>
constexpr float to_float(T value) {
  return static_cast<float>(value);
}

// N elements of T, aligned to their total size, so that a copy is one load or store instruction:
// AlignedVector<bf16, 8> is 16 bytes, one 128-bit access. N * sizeof(T) must be a power of two up
// to 16, the widest access a thread can make.
//
// 16-bit elements stay packed in 32-bit words, element 0 in the low half, as a load delivers them.
// A compiler would unpack separate members right behind the load, and wait for it too early.
template <class T, int N>
struct alignas(sizeof(T) * N) AlignedVector {
  static_assert(std::has_single_bit(sizeof(T) * N) && sizeof(T) * N <= 16,
                "1, 2, 4, 8 or 16 bytes");
  static constexpr int kSize = N;
  static constexpr bool kPacked = sizeof(T) == 2 && N >= 2;

  std::conditional_t<kPacked, std::uint32_t, T> words[kPacked ? N / 2 : N];

  constexpr T operator[](int i) const {
    if constexpr (kPacked) {
      return std::bit_cast<T>(static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16)));
    } else {
      return words[i];
    }
  }

  constexpr void set(int i, T value) {
    if constexpr (kPacked) {
      const std::uint32_t bits = std::bit_cast<std::uint16_t>(value);
      const int shift = i % 2 * 16;
      words[i / 2] = (words[i / 2] & ~(0xffffu << shift)) | (bits << shift);
    } else {
      words[i] = value;
    }
  }
};

}  // namespace core

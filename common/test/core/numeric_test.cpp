// The 16-bit types against an oracle that knows nothing of bits.

#include <core/numeric.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using core::bf16;
using core::fp16;
using core::Rounding;

// What tensor cores lack.
static_assert(!core::wgmma_multiplies<bf16, fp16, float>());
static_assert(!core::wgmma_multiplies<bf16, bf16, std::uint32_t>());
static_assert(!core::wgmma_multiplies<core::tf32, core::e4m3, float>());
static_assert(!core::wgmma_multiplies<core::s8, core::u8, float>());
static_assert(!core::wgmma_has_width<float>(12) && !core::wgmma_has_width<float>(264));
static_assert(core::wgmma_has_width<std::int32_t>(24) && !core::wgmma_has_width<std::int32_t>(40));

constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
constexpr int kBias = (1 << (T::kExponentBits - 1)) - 1;
template <class T>
constexpr unsigned kInfinity = ((1u << T::kExponentBits) - 1) << T::kFractionBits;  // its bits

// The value of non-negative bits, from the definition of the format; of infinity's, the number that
// would come next.
template <class T>
double decode(unsigned bits) {
  const int one = 1 << T::kFractionBits, exponent = static_cast<int>(bits) / one;
  const int fraction = static_cast<int>(bits) % one + (exponent > 0 ? one : 0);
  return std::ldexp(fraction, std::max(exponent, 1) - kBias<T> - T::kFractionBits);
}

// A float is a whole number of units in the last place of T, and a part: the part is rounded.
template <class T>
double oracle(double value, Rounding rounding) {
  const int exponent = value == 0 ? 0 : std::ilogb(value);
  const double unit = std::ldexp(1, std::max(exponent, 1 - kBias<T>) - T::kFractionBits);
  const auto rounded = [&](double units) {
    if (rounding == Rounding::kToNearestEven) return std::nearbyint(units);
    if (rounding == Rounding::kToNearestAway) return std::round(units);
    if (rounding == Rounding::kTowardZero) return std::trunc(units);
    return rounding == Rounding::kTowardPositive ? std::ceil(units) : std::floor(units);
  };
  const double result = std::isinf(value) ? value : rounded(value / unit) * unit;
  if (std::fabs(result) < decode<T>(kInfinity<T>)) return result;
  const bool inward = rounding == Rounding::kTowardZero ||
                      (rounding == Rounding::kTowardPositive && value < 0) ||
                      (rounding == Rounding::kTowardNegative && value > 0);
  return std::copysign(inward && !std::isinf(value) ? decode<T>(kInfinity<T> - 1) : kInf, value);
}

template <class T, Rounding R>
bool agrees(float value) {
  const float got = core::to_float(core::from_float<T, R>(value));
  return got == oracle<T>(value, R) && std::signbit(got) == std::signbit(value);
}

template <class T>
int disagreements(float x) {
  int wrong = 0;
  for (const float value : {x, -x}) {
    wrong += !(
        agrees<T, Rounding::kToNearestEven>(value) && agrees<T, Rounding::kToNearestAway>(value) &&
        agrees<T, Rounding::kTowardZero>(value) && agrees<T, Rounding::kTowardPositive>(value) &&
        agrees<T, Rounding::kTowardNegative>(value));
  }
  return wrong;
}

}  // namespace

TEMPLATE_TEST_CASE("every value survives the way to float and back", "", bf16, fp16) {
  int wrong = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float wide = core::to_float(TestType{static_cast<std::uint16_t>(bits)});
    const unsigned magnitude = bits & 0x7fff, back = core::from_float<TestType>(wide).bits;
    if (magnitude > kInfinity<TestType>) {  // stays NaN, quiet, with its sign
      const unsigned quiet = 1u << (TestType::kFractionBits - 1);
      wrong += !std::isnan(wide) || back != ((bits & 0x8000) | kInfinity<TestType> | quiet);
    } else {
      const double value = magnitude == kInfinity<TestType> ? kInf : decode<TestType>(magnitude);
      wrong += std::fabs(wide) != value || std::signbit(wide) != (bits >= 0x8000) || back != bits;
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("around every value and every tie, in every mode", "", bf16, fp16) {
  int wrong = disagreements<TestType>(kInf) +
              disagreements<TestType>(std::numeric_limits<float>::denorm_min()) +
              disagreements<TestType>(std::numeric_limits<float>::max());
  for (unsigned bits = 0; bits < kInfinity<TestType>; ++bits) {
    const double low = decode<TestType>(bits), high = decode<TestType>(bits + 1);
    for (const double exact : {low, (low + high) / 2}) {
      const float x = static_cast<float>(exact);
      wrong += disagreements<TestType>(x) + disagreements<TestType>(std::nextafterf(x, kInf)) +
               disagreements<TestType>(std::nextafterf(x, 0.0f));
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("NaN stays NaN where its highest bits are lost") {
  const float nan = std::bit_cast<float>(0xff800001u);
  CHECK(core::from_float<bf16>(nan).bits == 0xffc0);
  CHECK(core::from_float<fp16, Rounding::kTowardZero>(nan).bits == 0xfe00);
}

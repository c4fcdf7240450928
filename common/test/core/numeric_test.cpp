// Floats converted under every rounding mode, against tables that know nothing of how the
// conversion works: from which float on the result is a given number. All 2^32 of them take a
// minute and a half (`core_test "[minutes]"`). Otherwise all that are not negative to
// nearest even, and of the others those around each multiple of 2^12 and the first for each result.

#include <core/numeric.hpp>

#include <test/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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

template <class T>
constexpr std::uint32_t kInfinity = ((1u << T::kExponentBits) - 1) << T::kFractionBits;

// The number that these bits of T say, from the definition of the format; of infinity's, the one
// that would come next.
template <class T>
double decode(std::uint32_t bits) {
  const std::uint32_t one = 1u << T::kFractionBits, exponent = bits / one;
  const int least = 2 - (1 << (T::kExponentBits - 1)) - T::kFractionBits;
  return exponent == 0 ? std::ldexp(bits, least)
                       : std::ldexp(bits % one + one, static_cast<int>(exponent) - 1 + least);
}

// The bits of the first float that is at least `value`, or beyond it.
std::uint32_t first_float(double value, bool beyond) {
  if (value > std::numeric_limits<float>::max()) return 0x7f800000u;
  const float cut = std::nextafterf(static_cast<float>(value), 0.0f);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(cut);
  while (std::bit_cast<float>(bits) < value) ++bits;
  return beyond && std::bit_cast<float>(bits) == value ? bits + 1 : bits;
}

// For each number of T that is not negative, the first float, of those with this sign, whose result
// it is, or would be if it were one; at the end where NaN begins.
template <class T>
std::vector<std::uint32_t> starts(Rounding rounding, bool negative) {
  const Rounding outward = negative ? Rounding::kTowardNegative : Rounding::kTowardPositive;
  const bool toward_zero =
      rounding == Rounding::kTowardZero ||
      rounding == (negative ? Rounding::kTowardPositive : Rounding::kTowardNegative);
  std::vector<std::uint32_t> out{0};
  for (std::uint32_t bits = 1; bits <= kInfinity<T>; ++bits) {
    const double low = decode<T>(bits - 1), high = decode<T>(bits), middle = (low + high) / 2;
    const bool subnormal = bits <= 1u << T::kFractionBits;
    if (rounding == outward) {
      out.push_back(first_float(low, true));
    } else if (toward_zero || (rounding == Rounding::kToNearestAwayNormal && subnormal)) {
      out.push_back(first_float(high, false));
    } else {  // a tie is even below where it must go beyond
      const bool even =
          rounding == Rounding::kToNearestEven || rounding == Rounding::kToNearestEvenFinite;
      out.push_back(first_float(middle, even && bits % 2 == 1));
    }
  }
  if (toward_zero) out.back() = 0x7f800000u;
  if (rounding == Rounding::kToNearestEvenFinite) out.back() = 0x7f800001u;
  out.push_back(0x7f800001u);
  return out;
}

// How many of the floats from `first` on and before `last` do not become `expected`.
template <class T, Rounding R>
std::uint32_t wrong(std::uint32_t first, std::uint32_t last, std::uint32_t expected, bool all) {
  std::uint32_t count = 0;
  for (std::uint32_t i = first; i < last; i += all || (i & 0xfffu) != 1 ? 1 : 0xffe) {
    count += core::from_float<T, R>(std::bit_cast<float>(i)).bits != expected;
  }
  return count;
}

template <class T, Rounding R>
void check(bool all_positive, bool all_negative) {
  CAPTURE(T::kName, static_cast<int>(R));
  std::uint32_t count = 0;
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    const bool all = sign != 0 ? all_negative : all_positive;
    const std::vector<std::uint32_t> first = starts<T>(R, sign != 0);
    REQUIRE(first.size() == kInfinity<T> + 2);
    for (std::uint32_t bits = 0; bits <= kInfinity<T>; ++bits) {
      count += wrong<T, R>(first[bits] | sign, first[bits + 1] | sign, bits | sign >> 16, all);
    }
    const std::uint32_t quiet = kInfinity<T> | 1u << (T::kFractionBits - 1) | sign >> 16;
    count += wrong<T, R>(sign | 0x7f800001u, sign | 0x7fffffffu, quiet, all);
    count += core::from_float<T, R>(std::bit_cast<float>(sign | 0x7fffffffu)).bits != quiet;
  }
  CHECK(count == 0);
}

template <class T>
void check_every_mode(bool all, bool all_to_nearest_even) {
  [&]<int... kMode>(std::integer_sequence<int, kMode...>) {
    (check<T, Rounding{kMode}>(all || (all_to_nearest_even && kMode == 0), all), ...);
  }
  (std::make_integer_sequence<int, 7>{});
}

}  // namespace

TEMPLATE_TEST_CASE("every value survives the way to float and back", "", bf16, fp16) {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float wide = core::to_float(TestType{static_cast<std::uint16_t>(bits)});
    const std::uint32_t magnitude = bits & 0x7fff, back = core::from_float<TestType>(wide).bits;
    wrong += std::signbit(wide) != (bits >= 0x8000);
    if (magnitude > kInfinity<TestType>) {  // stays NaN
      wrong += !std::isnan(wide);
    } else {
      const bool infinite = magnitude == kInfinity<TestType>;
      wrong += (infinite ? !std::isinf(wide) : std::fabs(wide) != decode<TestType>(magnitude)) ||
               back != bits;
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("floats of every exponent, in every mode", "", bf16, fp16) {
  check_every_mode<TestType>(false, true);
}
TEMPLATE_TEST_CASE("every float, in every mode", "[.minutes]", bf16, fp16) {
  check_every_mode<TestType>(true, true);
}

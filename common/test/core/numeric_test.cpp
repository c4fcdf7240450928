// The 16-bit types against an oracle that knows nothing of bits: a sorted table of all their values
// as doubles, and rounding as the choice between two neighbours in it.

#include <core/numeric.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using core::bf16;
using core::fp16;
using core::Rounding;

struct Value {
  double value;
  std::uint16_t bits;
};

// The value of non-negative bits, from the definition of the format.
template <class T>
double decode(std::uint16_t bits) {
  const int fraction_range = 1 << T::kFractionBits;
  const int bias = (1 << (T::kExponentBits - 1)) - 1;
  const int exponent = bits / fraction_range, fraction = bits % fraction_range;
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - T::kFractionBits);
  return std::ldexp(fraction_range + fraction, exponent - bias - T::kFractionBits);
}

// All non-negative finite values in order, and behind them the number that would come next: what
// rounds to it overflows.
template <class T>
const std::vector<Value>& values() {
  static const std::vector<Value> table = [] {
    std::vector<Value> out;
    const unsigned infinity = ((1u << T::kExponentBits) - 1) << T::kFractionBits;
    for (unsigned bits = 0; bits <= infinity; ++bits) {
      out.push_back(
          {decode<T>(static_cast<std::uint16_t>(bits)), static_cast<std::uint16_t>(bits)});
    }
    return out;
  }();
  return table;
}

template <class T>
std::uint16_t oracle(float value, Rounding rounding) {
  const std::vector<Value>& table = values<T>();
  const double magnitude = std::fabs(static_cast<double>(value));
  const bool negative = std::signbit(value);
  const std::uint16_t sign = negative ? 0x8000 : 0;
  const Value last = table.back();
  if (std::isinf(value)) return sign | last.bits;

  const auto above = std::lower_bound(table.begin(), table.end(), magnitude,
                                      [](const Value& v, double x) { return v.value < x; });
  if (above != table.end() && above->value == magnitude && above->bits != last.bits) {
    return sign | above->bits;
  }
  const bool outward =
      rounding == (negative ? Rounding::kTowardNegative : Rounding::kTowardPositive);
  const bool nearest = rounding == Rounding::kToNearestEven || rounding == Rounding::kToNearestAway;
  if (above == table.end() || above->bits == last.bits) {  // beyond the largest finite value
    const Value largest = table[table.size() - 2];
    const double middle = (largest.value + last.value) / 2;
    const bool infinite = outward || (nearest && magnitude >= middle);  // the tie is even, and away
    return sign | (infinite ? last.bits : largest.bits);
  }
  const Value low = *(above - 1), high = *above;
  const double to_low = magnitude - low.value, to_high = high.value - magnitude;
  bool up = outward;
  if (nearest) {
    up = to_high < to_low;
    if (to_high == to_low) {
      up = rounding == Rounding::kToNearestAway || low.bits % 2 == 1;
    }
  }
  return sign | (up ? high.bits : low.bits);
}

template <class T, Rounding R>
bool agrees(float value) {
  return core::from_float<T, R>(value).bits == oracle<T>(value, R);
}

template <class T>
bool agrees_in_all_modes(float value) {
  return agrees<T, Rounding::kToNearestEven>(value) && agrees<T, Rounding::kToNearestAway>(value) &&
         agrees<T, Rounding::kTowardZero>(value) && agrees<T, Rounding::kTowardPositive>(value) &&
         agrees<T, Rounding::kTowardNegative>(value);
}

// The first float for which the two disagree; 0 when none does.
template <class T, class Floats>
float first_disagreement(const Floats& floats) {
  for (const float x : floats) {
    if (!agrees_in_all_modes<T>(x)) return x;
    if (!agrees_in_all_modes<T>(-x)) return -x;
  }
  return 0;
}

constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEMPLATE_TEST_CASE("every value survives the way to float and back", "", bf16, fp16) {
  const unsigned infinity = ((1u << TestType::kExponentBits) - 1) << TestType::kFractionBits;
  const unsigned quiet = 1u << (TestType::kFractionBits - 1);
  int wrong_values = 0, wrong_bits = 0, nans = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const TestType original = {static_cast<std::uint16_t>(bits)};
    const float wide = core::to_float(original);
    const unsigned magnitude = bits & 0x7fff;
    const std::uint16_t back = core::from_float<TestType>(wide).bits;
    if (magnitude > infinity) {
      ++nans;
      wrong_values += !std::isnan(wide);
      wrong_bits +=
          (back & 0x7fff) <= infinity || (back & 0x8000) != (bits & 0x8000) || (back & quiet) == 0;
      continue;
    }
    const double expected =
        magnitude == infinity ? kInf : decode<TestType>(static_cast<std::uint16_t>(magnitude));
    wrong_values += std::fabs(wide) != expected || std::signbit(wide) != (bits >> 15 != 0);
    wrong_bits += back != bits;
  }
  CHECK(wrong_values == 0);
  CHECK(wrong_bits == 0);
  CHECK(nans == 2 * ((1 << TestType::kFractionBits) - 1));
}

TEMPLATE_TEST_CASE("around every value and every tie, in every mode", "", bf16, fp16) {
  const std::vector<Value>& table = values<TestType>();
  std::vector<float> floats;
  for (std::size_t i = 0; i + 1 < table.size(); ++i) {
    const float value = static_cast<float>(table[i].value);
    // Exact: the middle of two neighbours needs one bit more than they have. For the smallest bf16
    // subnormals it is a float's subnormal.
    const float middle = static_cast<float>((table[i].value + table[i + 1].value) / 2);
    for (const float x : {value, middle}) {
      floats.insert(floats.end(), {x, std::nextafterf(x, 0.0f), std::nextafterf(x, kInf)});
    }
  }
  CHECK(first_disagreement<TestType>(floats) == 0);
}

TEMPLATE_TEST_CASE("floats of any bits, in every mode", "", bf16, fp16) {
  std::vector<float> floats;
  std::uint32_t bits = 12345;
  for (int i = 0; i < 300000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    const float x = std::fabs(std::bit_cast<float>(bits));
    if (!std::isnan(x)) floats.push_back(x);
  }
  // And within the range of fp16, where most of the above overflow or vanish.
  for (int i = 0; i < 300000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    floats.push_back(std::bit_cast<float>((bits & 0x7fffffu) | ((100 + (bits >> 27)) << 23)));
  }
  CHECK(first_disagreement<TestType>(floats) == 0);
}

TEMPLATE_TEST_CASE("the ends of the range", "", bf16, fp16) {
  const float largest = static_cast<float>(values<TestType>()[values<TestType>().size() - 2].value);
  const float smallest = static_cast<float>(values<TestType>()[1].value);
  std::vector<float> floats = {0.0f, kInf, std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::min()};
  for (float x : {largest, smallest, smallest / 2}) {
    for (int i = 0; i < 4; ++i) {
      floats.push_back(x);
      x = std::nextafterf(x, kInf);
    }
  }
  CHECK(first_disagreement<TestType>(floats) == 0);
}

TEST_CASE("numbers worked out by hand") {
  CHECK(core::from_float<bf16>(1.0f).bits == 0x3f80);
  CHECK(core::from_float<bf16>(-2.0f).bits == 0xc000);
  CHECK(core::from_float<bf16>(257.0f).bits == 0x4380);  // between 256 and 258: even is 256
  CHECK(core::from_float<bf16>(259.0f).bits == 0x4382);  // between 258 and 260: even is 260
  CHECK(core::from_float<bf16, Rounding::kToNearestAway>(257.0f).bits == 0x4381);
  CHECK(core::from_float<bf16>(3.4e38f).bits == 0x7f80);  // beyond the last tie: infinity
  CHECK(core::from_float<bf16, Rounding::kTowardZero>(3.4e38f).bits == 0x7f7f);
  CHECK(core::from_float<bf16, Rounding::kTowardPositive>(-3.4e38f).bits == 0xff7f);
  CHECK(core::from_float<fp16>(1.0f).bits == 0x3c00);
  CHECK(core::from_float<fp16>(65504.0f).bits == 0x7bff);
  CHECK(core::from_float<fp16>(65519.0f).bits == 0x7bff);
  CHECK(core::from_float<fp16>(65520.0f).bits == 0x7c00);
  CHECK(core::from_float<fp16>(0x1p-24f).bits == 0x0001);
  CHECK(core::from_float<fp16>(0x1p-25f).bits == 0x0000);  // the tie with zero
  CHECK(core::from_float<fp16>(0x1.000002p-25f).bits == 0x0001);
  CHECK(core::from_float<fp16>(0x1.ffcp-15f).bits == 0x0400);  // rounds up into the normals
  CHECK(core::from_float<fp16, Rounding::kTowardPositive>(1e-30f).bits == 0x0001);
  CHECK(core::from_float<fp16, Rounding::kTowardNegative>(-1e-30f).bits == 0x8001);
  CHECK(core::from_float<fp16, Rounding::kTowardNegative>(1e-30f).bits == 0x0000);
  CHECK(core::from_float<fp16>(-0.0f).bits == 0x8000);
  CHECK(core::to_float(bf16{0x4049}) == 3.140625f);
  CHECK(core::to_float(fp16{0x4248}) == 3.140625f);
}

TEST_CASE("NaN stays NaN, quiet, with its sign") {
  for (const std::uint32_t payload : {0x1u, 0x1000u, 0x1fffu, 0xffffu, 0x400000u, 0x7fffffu}) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const float nan = std::bit_cast<float>(sign | 0x7f800000u | payload);
      const std::uint16_t high = static_cast<std::uint16_t>(sign >> 16);
      CHECK((core::from_float<bf16>(nan).bits & 0xffc0) == (high | 0x7fc0));
      CHECK((core::from_float<fp16>(nan).bits & 0xfe00) == (high | 0x7e00));
      CHECK((core::from_float<fp16, Rounding::kTowardZero>(nan).bits & 0xfe00) == (high | 0x7e00));
    }
  }
}

TEST_CASE("conversions work at compile time") {
  static_assert(core::from_float<bf16>(1.5f).bits == 0x3fc0);
  static_assert(core::to_float(core::from_float<fp16>(-0.333251953125f)) == -0.333251953125f);
  CHECK(sizeof(bf16) == 2);
  CHECK(sizeof(fp16) == 2);
}

#pragma once
// Division by a number that is known before a launch.

#include <gpu/thread.hpp>

#include <cstdint>

namespace every_shape {

// n / value as one multiplication, for 0 <= n < 2^31. The hardware has no division: some thirty
// instructions stand for one, each of which waits for the one before it.
//
// With shift = 31 + ceil(log2 value), factor = ceil(2^shift / value) is less than 2^32, and exceeds
// what it stands for by less than one. So n * factor / 2^shift exceeds n / value by less than
// n / 2^shift <= 1 / value, too little to reach the next integer.
struct Divisor {
  int value = 1;
  std::uint32_t factor = 1u << 31;
  int shift = 31;

  constexpr Divisor() = default;
  explicit constexpr Divisor(int of) : value(of) {
    while ((std::int64_t{1} << (shift - 31)) < value) ++shift;
    const auto divisor = static_cast<std::uint64_t>(value);
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + divisor - 1) / divisor);
  }

  __device__ constexpr int divide(int n) const {
    return static_cast<int>(std::uint64_t{static_cast<std::uint32_t>(n)} * factor >> shift);
  }
};

}  // namespace every_shape

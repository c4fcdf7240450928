#pragma once

// A layout evaluated where everything but the index is known to the compiler: the form for device
// code.
//
//   constexpr auto kSmemA = compose(Swizzle{3, 3, 3}, Layout{{128, 64}, {64, 1}});
//   smem_a[layout::at<kSmemA>(row, col)] = value;      // (128, 64) K-major, 128-byte swizzle
//
// The layout is a template argument, so shapes and strides fold into shifts, masks and immediates:
// no layout exists at run time, and no local memory. Divisions are unsigned; an extent that is a
// power of two costs a mask and a shift. The layout may be a constexpr variable at namespace scope,
// in the function, or a static constexpr member. It must not be a template argument of a __global__
// function: nvcc cannot name the host stub then. Pass a type that holds it.

#include <concepts>
#include <type_traits>
#include <utility>

#include "swizzle.hpp"

namespace layout {

namespace detail {
template <Leaves kLeaves, int first, class Unsigned>
constexpr Unsigned fold(Unsigned index) {
  if constexpr (first >= kLeaves.count) {
    return 0;
  } else {
    constexpr Unsigned stride = static_cast<Unsigned>(kLeaves[first].stride);
    if constexpr (first + 1 == kLeaves.count) {
      return index * stride;
    } else {
      constexpr Unsigned extent = static_cast<Unsigned>(kLeaves[first].extent);
      return index % extent * stride + fold<kLeaves, first + 1>(index / extent);
    }
  }
}

// Leaves of one mode, padding removed: extents of 1 say nothing (but the last leaf takes the whole
// quotient).
constexpr Leaves mode_leaves(const Layout& l, int mode, int modes) {
  return coalesce(leaves(modes == 1 ? l : l.mode(mode)), true);
}
}  // namespace detail

// L(i) with one index, counting the whole domain, or L(i, j, ...) with one index per mode. Index
// types up to 32 bits give an int, wider ones an Int. Indices are taken as non-negative and inside
// the domain.
template <auto kLayout, std::integral... Index>
constexpr auto at(Index... index) {
  if constexpr (requires { kLayout.swizzle; }) {
    constexpr Swizzle swizzle = kLayout.swizzle;
    return swizzle(at<kLayout.layout>(index...));
  } else {
    constexpr bool wide = ((sizeof(Index) > 4) || ...);
    using Signed = std::conditional_t<wide, Int, int>;
    using Unsigned = std::make_unsigned_t<Signed>;
    static_assert(sizeof...(Index) == 1 || sizeof...(Index) == kLayout.rank(),
                  "one index, or one per mode");
    static_assert(wide || kLayout.cosize() <= (Int{1} << 31),
                  "offsets beyond 31 bits need a 64-bit index");
    constexpr int modes = sizeof...(Index);
    return [&]<int... mode>(std::integer_sequence<int, mode...>) {
      constexpr auto leaves_of = [](int i) { return detail::mode_leaves(kLayout, i, modes); };
      return static_cast<Signed>(
          (detail::fold<leaves_of(mode), 0>(static_cast<Unsigned>(index)) + ...));
    }
    (std::make_integer_sequence<int, modes>{});
  }
}

}  // namespace layout

#pragma once

// Swizzles: the exclusive-or of address bits that spreads a column over the banks of shared memory.

#include "tiling.hpp"

namespace layout {

// Swizzle<B,M,S>: 2^M neighbours stay together as one unit, 2^S units make a row, and the lowest B
// bits of the row's number are xored into the lowest B bits of the unit's number in its row:
//
//   offset  = ... yyy ..... zzz mmmm        B bits y, M bits m, y stands S bits above z
//   swizzle = ... yyy ..... (zzz ^ yyy) mmmm
//
//   Sw<2,3,3> o (8,32):(32,1), 16-bit elements: 16-byte unit c of row r goes to c ^ (r/2 % 4)
//
// A bijection of every [0, k 2^(B+M+S)) onto itself and its own inverse. Refuses B > S (y and z
// would overlap; S > B is fine), negative parameters, and patterns beyond 2^30.
struct Swizzle {
  int b = 0;
  int m = 0;
  int s = 0;

  constexpr Swizzle() = default;
  constexpr Swizzle(int b_, int m_, int s_) : b(b_), m(m_), s(s_) {
    if (b < 0 || m < 0 || s < 0) refuse("Sw<", b, ",", m, ",", s, ">: negative parameter");
    if (b > s) refuse("Sw<", b, ",", m, ",", s, ">: B = ", b, " exceeds S = ", s);
    if (m > 30 || s > 30 || b + m + s > 30) {
      refuse("Sw<", b, ",", m, ",", s, ">: B + M + S is at most 30");
    }
  }

  template <class Integer>
  constexpr Integer operator()(Integer offset) const {
    const Integer y = ((Integer{1} << b) - 1) << (m + s);
    return offset ^ ((offset & y) >> s);
  }
  // Numbers below a multiple of this stay below it.
  constexpr Int period() const { return Int{1} << (b + m + s); }

  constexpr bool operator==(const Swizzle&) const = default;
};

inline std::string to_string(const Swizzle& sw) {
  return "Sw<" + std::to_string(sw.b) + "," + std::to_string(sw.m) + "," + std::to_string(sw.s) +
         ">";
}

// Sw o L: i -> Sw(L(i)).
struct Swizzled {
  Swizzle swizzle;
  Layout layout;

  constexpr Swizzled(const Swizzle& swizzle_, const Layout& layout_)
      : swizzle(swizzle_), layout(layout_) {}

  constexpr int rank() const { return layout.rank(); }
  constexpr Int size() const { return layout.size(); }
  template <class... Coordinate>
  constexpr Int operator()(const Coordinate&... coord) const {
    return swizzle(layout(coord...));
  }
  constexpr bool operator==(const Swizzled&) const = default;
};

inline std::string to_string(const Swizzled& l) {
  return to_string(l.swizzle) + " o " + to_string(l.layout);
}

constexpr Swizzled compose(const Swizzle& sw, const Layout& l) {
  return {sw, l};
}

// What acts on the domain passes through the swizzle, such as (Sw o L) o B = Sw o (L o B), divides
// and shapes: f of a layout, or of the layout below a swizzle.
template <auto f>
inline constexpr auto below_swizzle = [](const auto& l, const auto&... more) {
  if constexpr (requires { l.swizzle; }) {
    return Swizzled(l.swizzle, f(l.layout, more...));
  } else {
    return f(l, more...);
  }
};

// The tiles continue the pattern of the swizzle.
constexpr Swizzled tile_to_shape(const Swizzled& a, const IntTuple& shape) {
  return {a.swizzle, tile_to_shape(a.layout, shape)};
}
constexpr Swizzled tile_to_shape(const Swizzled& a, const IntTuple& shape, const IntTuple& order) {
  return {a.swizzle, tile_to_shape(a.layout, shape, order)};
}

// In other elements only M changes:
// Refuses elements wider than the 2^M the swizzle keeps together.
constexpr Swizzled recast(const Swizzled& l, Int from_bits, Int to_bits) {
  const Layout layout = recast(l.layout, from_bits, to_bits);
  const bool wider = to_bits >= from_bits;
  const int shift = wider ? log2_exact(to_bits / from_bits) : log2_exact(from_bits / to_bits);
  if (wider && shift > l.swizzle.m) {
    refuse("recast(", l, "): ", to_bits / from_bits,
           " elements become one, the swizzle keeps only ", 1 << l.swizzle.m, " together");
  }
  return {Swizzle(l.swizzle.b, wider ? l.swizzle.m - shift : l.swizzle.m + shift, l.swizzle.s),
          layout};
}

// The swizzle for a row-major tile whose rows have X elements of k bits, read and written down its
// columns in vectors of 2^M elements, one per thread. One phase of an access covers the 32 banks,
// that is 1024 bits or 1024/(k 2^M) units:
//   S = log2( max(1024, X k) / (k 2^M) )        units in a row, or in a line of banks if longer
//   B = log2( min(X / 2^M, 1024/(k 2^M)) )      of the rows in a phase, how many meet in a bank
// B is the smallest that removes every conflict of such an access:
// Refuses what is no power of two, vectors that are not 4 to 16 bytes, rows shorter than a vector.
constexpr Swizzle swizzle_for_columns(Int row_elements, Int element_bits, Int vector_elements) {
  const int m = log2_exact(vector_elements);
  const Int unit_bits = checked_mul(element_bits, vector_elements);
  if (!is_power_of_two(row_elements) || !is_power_of_two(element_bits) || unit_bits > 128 ||
      unit_bits < 32) {
    refuse("swizzle_for_columns: rows of ", row_elements, " elements of ", element_bits,
           " bits in vectors of ", vector_elements,
           "; powers of two and vectors of 32 to 128 bits are needed");
  }
  if (row_elements < vector_elements) {
    refuse("swizzle_for_columns: a row of ", row_elements, " is shorter than a vector of ",
           vector_elements);
  }
  const Int row_units = row_elements / vector_elements;
  const Int phase_units = 1024 / unit_bits;
  const int s = log2_exact(row_units > phase_units ? row_units : phase_units);
  const int b = log2_exact(row_units < phase_units ? row_units : phase_units);
  return Swizzle(b, m, s);
}

}  // namespace layout

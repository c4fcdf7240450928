#pragma once
// Which of a thread's accesses are inside the matrix: one bit each, computed once, kept in a
// register and consulted by guarded loads. Works in host and device code.

#include <cstdint>
#include <type_traits>

namespace gemm {

// N booleans in one 32- or 64-bit register. All false to begin with.
template <int N>
class PredicateMask {
  static_assert(N >= 1 && N <= 64, "a mask holds 1 to 64 predicates");

 public:
  using Bits = std::conditional_t<(N <= 32), std::uint32_t, std::uint64_t>;
  static constexpr int kSize = N;

  constexpr bool operator[](int i) const { return (bits_ >> i & 1) != 0; }

  constexpr void set(int i, bool value = true) {
    bits_ = (bits_ & ~(Bits{1} << i)) | (Bits{value} << i);
  }
  // All at once: what a kernel does past the last tile, so that nothing more is loaded.
  constexpr void clear() { bits_ = 0; }

  constexpr bool any() const { return bits_ != 0; }
  constexpr bool all() const { return bits_ == kAll; }
  constexpr Bits bits() const { return bits_; }

  friend constexpr PredicateMask operator&(PredicateMask x, PredicateMask y) {
    return PredicateMask(x.bits_ & y.bits_);
  }
  friend constexpr PredicateMask operator|(PredicateMask x, PredicateMask y) {
    return PredicateMask(x.bits_ | y.bits_);
  }
  friend constexpr bool operator==(PredicateMask, PredicateMask) = default;

  constexpr PredicateMask() = default;

 private:
  static constexpr Bits kAll = static_cast<Bits>(~Bits{0}) >> (8 * sizeof(Bits) - N);

  constexpr explicit PredicateMask(Bits bits) : bits_(bits) {}

  Bits bits_ = 0;
};

// How many of `vector` consecutive elements, the first at `position`, lie below `extent`: 0 to
// vector.
constexpr int elements_in_range(int position, int extent, int vector) {
  const int left = extent - position;
  return left <= 0 ? 0 : (left < vector ? left : vector);
}

// Where a thread's accesses to a tile fall: kStrided x kContiguous of them, strip-mined, the first
// at (row, col), the others `row_step` rows and `col_step` elements further on. Each moves kVector
// elements along the contiguous dimension. Access (s, c) has number s * kContiguous + c.
struct AccessGrid {
  int row, col;
  int row_step, col_step;
};

// The accesses of such a grid, sorted by what may be done.
template <int kStrided, int kContiguous, int kVector>
struct GuardedAccesses {
  static constexpr int kAccesses = kStrided * kContiguous;

  PredicateMask<kAccesses> whole;  // the vector is inside: one wide access
  PredicateMask<kAccesses> part;   // it begins inside and ends outside: one element at a time

  // For a matrix of `rows` lines of `cols` contiguous elements. `wide` false says that wide
  // accesses are not possible (an odd leading dimension, an unaligned base): then everything with
  // an element inside is in `part`. In neither mask: the access does not happen and yields zeros.
  static constexpr GuardedAccesses of(const AccessGrid& grid, int rows, int cols,
                                      bool wide = true) {
    GuardedAccesses out;
    for (int s = 0; s < kStrided; ++s) {
      const bool row_inside = grid.row + s * grid.row_step < rows;
      for (int c = 0; c < kContiguous; ++c) {
        const int inside = elements_in_range(grid.col + c * grid.col_step, cols, kVector);
        const int i = s * kContiguous + c;
        out.whole.set(i, row_inside && wide && inside == kVector);
        out.part.set(i, row_inside && inside > 0 && !(wide && inside == kVector));
      }
    }
    return out;
  }
};

}  // namespace gemm

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

}  // namespace gemm

#pragma once
// A fixed group of elements that travels as one memory transaction.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace core {

// N elements of T, aligned to their total size, so that a copy is one load or store instruction:
// AlignedVector<bf16, 8> is 16 bytes, one 128-bit access. N * sizeof(T) must be a power of two up
// to 16, the widest access a thread can make.
//
// 16-bit elements stay packed in 32-bit words, element 0 in the low half, as the load instruction
// delivers them. That matters for speed: were they separate members, a compiler would unpack them
// right behind the load, and so wait for the load long before its values are needed.
template <class T, int N>
struct alignas(sizeof(T) * N) AlignedVector {
  static_assert(std::has_single_bit(sizeof(T) * N) && sizeof(T) * N <= 16,
                "1, 2, 4, 8 or 16 bytes");
  static constexpr int kSize = N;
  static constexpr bool kPacked = sizeof(T) == 2 && N >= 2;
  using Element = T;
  using Word = std::conditional_t<kPacked, std::uint32_t, T>;

  Word words[kPacked ? N / 2 : N];

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

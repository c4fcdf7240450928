#pragma once
// Random bits without state: the same counter gives the same bits, in any order, on any thread.

#include <cstdint>

namespace gemm {

// A bijection of 64-bit integers whose output bits look independent of the input's: two rounds of
// xor-shift and odd multiplication (the finalizer of the splitmix64 generator).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The counter-th number of the sequence that `seed` names. The step is 2^64 / golden ratio, odd, so
// that neighbouring counters differ in about half of their bits before they are mixed.
constexpr std::uint64_t counter_bits(std::uint64_t seed, std::uint64_t counter) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  return mix_bits(mix_bits(seed * kStep + 1) + counter * kStep);
}

}  // namespace gemm

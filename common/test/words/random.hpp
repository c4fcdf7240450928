#pragma once
// The data of a case: drawn from its name, the same on every machine.

#include <gemm/random.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace words {

class Random {
 public:
  explicit Random(std::string_view name) {
    for (const char c : name) seed_ = gemm::mix_bits(seed_ ^ static_cast<unsigned char>(c));
  }

  std::uint64_t bits() { return gemm::counter_bits(seed_, counter_++); }
  std::uint32_t word() { return static_cast<std::uint32_t>(bits()); }
  // 0 .. count-1
  int below(int count) { return static_cast<int>(bits() % static_cast<std::uint64_t>(count)); }
  // -limit .. limit without 0: no sum of products is ever a sum of zeros, whose sign would matter.
  int small(int limit) {
    const int magnitude = 1 + below(limit);
    return bits() % 2 == 0 ? magnitude : -magnitude;
  }

  std::vector<std::uint32_t> words(std::size_t count) {
    std::vector<std::uint32_t> out(count);
    for (std::uint32_t& word : out) word = this->word();
    return out;
  }
  std::vector<unsigned char> bytes(std::size_t count) {
    std::vector<unsigned char> out(count);
    for (unsigned char& byte : out) byte = static_cast<unsigned char>(bits());
    return out;
  }
  // `count` different ones of 0 .. of-1, in random order.
  std::vector<int> places(int count, int of) {
    std::vector<int> out(static_cast<std::size_t>(of));
    for (int i = 0; i < of; ++i) out[static_cast<std::size_t>(i)] = i;
    for (int i = 0; i < count; ++i) {
      std::swap(out[static_cast<std::size_t>(i)], out[static_cast<std::size_t>(i + below(of - i))]);
    }
    out.resize(static_cast<std::size_t>(count));
    return out;
  }

 private:
  std::uint64_t seed_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace words

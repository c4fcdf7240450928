#pragma once

#include <cstdint>

namespace runtime {

// A stream of numbers drawn from a seed (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned limit) { return static_cast<unsigned>((*this)() % limit); }

 private:
  std::uint64_t state_;
};

}  // namespace runtime

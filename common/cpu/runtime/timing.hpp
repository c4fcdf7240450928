#pragma once
// When asynchronous operations take effect: the completion policy, as each of them asks for it.

#include <runtime/settings.hpp>

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

class Timing {
 public:
  void begin(const Policy& policy, std::uint64_t gang) {
    completion_ = policy.completion;
    dice_ = Dice(policy.seed ^ (gang * 0xa24baed4963ee407u) ^ 0x5851f42d4c957f2du);
  }

  // Does a copy into shared memory (cp.async, a TMA load) land as it is issued?
  bool lands_at_once() {
    return completion_ == Completion::kEarly || completion_ == Completion::kMix || coin();
  }
  // Does an operation that reads shared memory (wgmma, a TMA store) read it as it is issued?
  bool reads_at_once() { return completion_ == Completion::kEarly || coin(); }

  bool random() const { return completion_ == Completion::kRandom; }
  bool coin() { return random() && dice_.below(2) == 0; }
  Dice& dice() { return dice_; }

 private:
  Completion completion_ = Completion::kLate;
  Dice dice_;
};

}  // namespace runtime

#pragma once
// What a run of the CPU backend can be told: how asynchronous work completes and in which order
// warps run, how many OS threads share the blocks, how large a kernel thread's stack is.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace runtime {

// When asynchronous copies and tensor-core operations take effect. kLate: only when a wait demands
// it. kEarly: as they are issued. kMix: loads land at once, wgmma reads as late as allowed.
// kRandom: anywhere in between, and warps run in an order drawn from the seed.
enum class Completion { kLate, kEarly, kMix, kRandom };

struct Policy {
  Completion completion = Completion::kLate;
  std::uint64_t seed = 0;  // of kRandom
};

// "late", "early", "mix" or "random:SEED" with a decimal seed. core::Refused on anything else.
Policy parse_policy(std::string_view text);
std::string to_string(const Policy& policy);

// The settings hold for launches that begin after the call.
void set_policy(std::string_view text);
void set_policy(const Policy& policy);
Policy policy();

// OS threads that share a grid's blocks. 0, the default: as many as the environment variable
// CPU_BACKEND_WORKERS says, or else the hardware has. Results do not depend on it.
void set_workers(int count);
int workers();

// What this environment variable says, `otherwise` where it is not set. core::Refused when it is
// not a number of at least so much.
std::size_t number_of_environment(const char* name, std::size_t least, std::size_t otherwise,
                                  const char* what);

// Usable bytes of a kernel thread's stack: 64 KiB, or four times that in sanitized builds.
void set_stack_bytes(std::size_t bytes);
std::size_t stack_bytes();

// --- The policy, as asynchronous operations ask for it -------------------------------------------

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

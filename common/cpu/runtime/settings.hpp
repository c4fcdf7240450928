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

}  // namespace runtime

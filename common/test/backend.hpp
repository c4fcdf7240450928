#pragma once
// What tests must know of the backend that they run on.

#include <harness/chapter.hpp>
#if __has_include(<runtime/settings.hpp>)  // the CPU backend
#include <runtime/settings.hpp>
#else
#include <gpu/host.hpp>
#endif

#include <optional>
#include <string>
#include <vector>

namespace test {

// All ways of completing asynchronous work ("late", "mix", "random:1"; the GPU has one); which one,
// from the next launch on; and 10 * major + minor of the compute capability, nothing on the CPU
// backend, which runs everything.
#if __has_include(<runtime/settings.hpp>)
inline std::vector<std::string> all_policies() {
  return {"late", "early", "mix", "random:1", "random:2", "random:3"};
}
inline void set_policy(const std::string& policy) {
  runtime::set_policy(policy);
}
inline std::optional<int> compute_capability() {
  return std::nullopt;
}
#else
inline std::vector<std::string> all_policies() {
  return {"hardware"};
}
inline void set_policy(const std::string&) {}
inline std::optional<int> compute_capability() {
  cudaDeviceProp properties;
  gpu::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return 10 * properties.major + properties.minor;
}
#endif

// Of all_policies(), those that a chapter is tried under. Chapters held against FFMA have no
// asynchronous work: these need one.
std::vector<std::string> policies(const harness::Chapter& chapter);

// Of policies(chapter), those that case number `index` of a list is tried under: the first, and one
// of the others in turn. Four cases meet them all.
std::vector<std::string> policies_in_turn(const harness::Chapter& chapter, std::size_t index);

// Why the chapter cannot run on this machine (its compute capability), if it cannot.
std::optional<std::string> why_not(const harness::Chapter& chapter);

}  // namespace test

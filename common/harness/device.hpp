#pragma once
// What runs the kernels, and what it was built with.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace harness {

struct Device {
  std::string name;  // "NVIDIA H200"; "CPU backend"
  std::optional<int> sms;
  std::optional<int> compute_capability;  // 90 is 9.0
  std::optional<std::int64_t> l2_bytes;
  std::optional<std::int64_t> memory_bytes;
  std::optional<double> power_cap_w;
};

struct Software {
  std::optional<std::string> driver;
  std::optional<std::string> cuda;
  std::optional<std::string> cublas;
  std::string compiler;
};

std::string capability_text(int compute_capability);  // "9.0"

// "g++ 12.2.0", "clang++ 14.0.6": what compiled the host code.
std::string host_compiler();

// What `git describe --always --dirty` said when this was built, or "unknown".
const char* commit();

}  // namespace harness

#include "backend.hpp"

#include <gpu/host.hpp>

namespace words {

std::vector<std::string> policies() {
  return {"hardware"};
}

void set_policy(const std::string&) {}

// wgmma and the rest of sm_90a exist on compute capability 9.0 and nowhere else.
std::optional<std::string> why_not() {
  int device = 0, major = 0, minor = 0;
  gpu::check(cudaGetDevice(&device), "cudaGetDevice");
  gpu::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "cudaDeviceGetAttribute");
  gpu::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             "cudaDeviceGetAttribute");
  if (major == 9 && minor == 0) return std::nullopt;
  return "the words need compute capability 9.0, this GPU has " + std::to_string(major) + "." +
         std::to_string(minor);
}

}  // namespace words

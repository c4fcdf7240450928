#include <test/backend.hpp>

#include <gpu/host.hpp>
#include <harness/job.hpp>

namespace test {

std::vector<std::string> policies(const harness::Chapter&) {
  return {"hardware"};
}

void set_policy(const std::string&) {}

std::optional<std::string> what_runs(const harness::Plan&) {
  return std::nullopt;
}

std::optional<std::string> why_not(const harness::Chapter& chapter) {
  int device = 0, major = 0, minor = 0;
  gpu::check(cudaGetDevice(&device), "cudaGetDevice");
  gpu::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "cudaDeviceGetAttribute");
  gpu::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             "cudaDeviceGetAttribute");
  return harness::why_unsupported(chapter, 10 * major + minor);
}

}  // namespace test

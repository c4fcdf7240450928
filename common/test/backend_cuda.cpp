#include <test/backend.hpp>

#include <gpu/host.hpp>

namespace test {

int number(const harness::Chapter& chapter) {
  return std::stoi(chapter.name.substr(0, 2));
}

std::vector<std::string> policies(const harness::Chapter&) {
  return {"hardware"};
}

void set_policy(const std::string&) {}

std::optional<std::string> why_not(const harness::Chapter& chapter) {
  int device = 0, major = 0, minor = 0;
  gpu::check(cudaGetDevice(&device), "cudaGetDevice");
  gpu::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
             "cudaDeviceGetAttribute");
  gpu::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
             "cudaDeviceGetAttribute");
  const int here = 10 * major + minor, needed = chapter.min_compute_capability;
  // wgmma and the rest of sm_90a exist on compute capability 9.0 and nowhere else.
  const bool runs = chapter.ceiling == harness::Ceiling::kWgmma ? here == needed : here >= needed;
  if (runs) return std::nullopt;
  return chapter.name + " needs compute capability " + std::to_string(needed) + ", this GPU has " +
         std::to_string(here);
}

}  // namespace test

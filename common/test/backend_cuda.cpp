#include <test/backend.hpp>

#include <gpu/host.hpp>

namespace test {

std::vector<std::string> all_policies() {
  return {"hardware"};
}

void set_policy(const std::string&) {}

std::optional<int> compute_capability() {
  cudaDeviceProp properties;
  gpu::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return 10 * properties.major + properties.minor;
}

}  // namespace test

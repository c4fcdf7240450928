// The CUDA backend's share of the harness, but for measuring (measure.cpp).

#include <harness/backend.hpp>
#include <harness/cublas.hpp>
#include <harness/programs.hpp>

#include <core/error.hpp>

#include <cstdio>
#include <memory>

namespace harness::backend {

Backend kind() {
  return Backend::kCuda;
}

void start(const Options& options, const std::vector<std::string>& arguments, bool sized) {
  // What only the CPU backend has is asked for by name; it need not be said twice.
  if (options.backend == Backend::kCpu)
    become(sibling_path(Sibling::kCpu, "--backend cpu"), arguments);
  if (options.counters) become(sibling_path(Sibling::kTraced, "--counters"), arguments);
  if (options.async) become(sibling_path(Sibling::kCpu, "--async"), arguments);

  if (const auto reason = gpu::why_no_device()) {
    if (options.backend == Backend::kCuda) throw core::DeviceError(*reason);
    const std::string cpu = sibling_path(Sibling::kCpu, *reason);
    std::vector<std::string> more = arguments;
    const bool small = sized && options.shapes.empty();
    if (small) more.push_back("--size=256");
    const char* const where = small ? " at size 256" : sized ? " at the sizes asked for" : "";
    std::fprintf(stderr, "%s: running on the CPU backend%s\n", reason->c_str(), where);
    become(cpu, more);
  }
  // The first call that needs the device; everything slow about its start happens here.
  gpu::check(cudaFree(nullptr), "CUDA");
}

Device device() {
  int current = 0;
  gpu::check(cudaGetDevice(&current), "cudaGetDevice");
  cudaDeviceProp found = {};
  gpu::check(cudaGetDeviceProperties(&found, current), "cudaGetDeviceProperties");
  Device device;
  device.name = found.name;
  device.sms = found.multiProcessorCount;
  device.compute_capability = 10 * found.major + found.minor;
  device.l2_bytes = found.l2CacheSize;
  device.dram_bytes_per_second = gpu::dram_bytes_per_second();
  device.memory_bytes = static_cast<std::int64_t>(found.totalGlobalMem);
  return device;
}

SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not) {
  if (problem.m == 0 || problem.n == 0 || problem.k == 0) return {};  // the reference covers it all
  if (const auto reason = Cublas::why_unsuited(problem)) {
    why_not = *reason;
    return {};
  }
  try {
    const auto cublas = std::make_shared<Cublas>(nullptr);
    return [cublas](const gemm::Problem& p) { cublas->compute_precisely(p); };
  } catch (const core::DeviceError& error) {
    why_not = error.what();
    return {};
  }
}

void after_launches() {}

}  // namespace harness::backend

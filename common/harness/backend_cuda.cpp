// The CUDA backend's share of the harness, but for measuring (measure.cpp).

#include <harness/backend.hpp>
#include <harness/cublas.hpp>
#include <harness/programs.hpp>

#include <memory>

namespace harness::backend {

bool is_gpu() {
  return true;
}

void start(const Options& options, const std::vector<std::string>& arguments, bool sized) {
  // What only the CPU backend has is asked for by name; it need not be said twice.
  if (options.backend == "cpu") become("_cpu", "--backend cpu", arguments);
  if (options.counters) become("_traced", "--counters", arguments);
  if (options.async) become("_cpu", "--async", arguments);

  if (const auto reason = gpu::why_no_device()) {
    if (options.backend == "cuda") throw core::DeviceError(*reason);
    std::vector<std::string> more = arguments;
    const bool small = sized && options.shapes.empty();
    if (small) more.push_back("--size=256");
    const char* const where = small ? " at size 256" : sized ? " at the sizes asked for" : "";
    become("_cpu", *reason, more, *reason + ": running on the CPU backend" + where + "\n");
  }
  // The first call that needs the device; everything slow about its start happens here.
  gpu::check(cudaFree(nullptr), "CUDA");
}

Device device() {
  int current = 0;
  gpu::check(cudaGetDevice(&current), "cudaGetDevice");
  cudaDeviceProp found = {};
  gpu::check(cudaGetDeviceProperties(&found, current), "cudaGetDeviceProperties");
  return {.name = found.name,
          .sms = found.multiProcessorCount,
          .compute_capability = 10 * found.major + found.minor,
          .l2_bytes = found.l2CacheSize,
          .memory_bytes = static_cast<std::int64_t>(found.totalGlobalMem)};
}

SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not) {
  if (shape_of(problem).empty()) return {};  // the reference covers it all
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

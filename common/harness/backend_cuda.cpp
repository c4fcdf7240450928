// The CUDA backend's share of the harness, but for measuring (measure.cpp).

#include <harness/backend.hpp>
#include <harness/cublas.hpp>
#include <harness/programs.hpp>
#include <harness/timing.hpp>

#include <core/error.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace harness::backend {
namespace {

constexpr const char* kSmallSize = "256";  // where the CPU backend stands in for a missing GPU

}  // namespace

Backend kind() {
  return Backend::kCuda;
}

void choose_program(const Options& options, const std::vector<std::string>& arguments, bool sized) {
  // What only the CPU backend has is asked for by name; it need not be said twice.
  if (options.backend == Backend::kCpu)
    become(sibling_path(Sibling::kCpu, "--backend cpu"), arguments);
  if (options.counters) become(sibling_path(Sibling::kTraced, "--counters"), arguments);
  if (options.async) become(sibling_path(Sibling::kCpu, "--async"), arguments);

  const auto reason = gpu::why_no_device();
  if (!reason) return;
  if (options.backend == Backend::kCuda) throw core::DeviceError(*reason);
  const std::string cpu = sibling_path(Sibling::kCpu, *reason);
  std::vector<std::string> more = arguments;
  std::string where = sized ? " at the sizes asked for" : "";
  if (sized && options.shapes.empty()) {
    more.insert(more.end(), {"--size", kSmallSize});
    where = std::string(" at size ") + kSmallSize;
  }
  std::fprintf(stderr, "%s: running on the CPU backend%s\n", reason->c_str(), where.c_str());
  become(cpu, more);
}

void prepare(const Options&) {
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
  device.memory_bytes = static_cast<std::int64_t>(found.totalGlobalMem);
  return device;
}

// The second has ragged edges, with a K that every chapter takes.
std::vector<Shape> check_shapes() {
  return {{1024, 1024, 1024}, {1000, 1016, 1032}};
}

std::vector<Shape> measure_shapes(const Job& job) {
  if (!job.ladder) return {{4096, 4096, 4096}};
  return {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};
}

bool measures(const Options& options) {
  return options.bench || !options.check;
}

SecondOpinion second_opinion(const gemm::Problem& problem, std::string& why_not) {
  if (problem.m == 0 || problem.n == 0 || problem.k == 0) return {};  // the reference covers it all
  if (const auto reason = Cublas::why_unsuited(problem)) {
    why_not = *reason;
    return {};
  }
  struct Held {
    OwnStream stream;
    std::unique_ptr<Cublas> cublas;
  };
  auto held = std::make_shared<Held>();
  held->cublas = Cublas::create(held->stream, why_not);
  if (!held->cublas) return {};
  return [held](const gemm::Problem& p) { held->cublas->compute_precisely(p); };
}

void after_launches() {}

}  // namespace harness::backend

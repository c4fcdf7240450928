#include <harness/ceilings.hpp>

#include <harness/backend.hpp>
#include <harness/device_problem.hpp>
#include <harness/probes.hpp>
#include <harness/statistics.hpp>

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t kLargestCopy = std::size_t{1} << 30;  // far beyond any L2 cache

double median_ms(const Plan& plan, const TimingConfig& config, int rounds, gpu::Stream stream) {
  plan.run(stream);
  gpu::check(cudaStreamSynchronize(stream), "probe");
  TimedWork probe({plan}, config, stream);
  for (int i = 0; i < rounds; ++i) probe.sample();
  return estimate(probe.samples()).median;
}

// The library's copy, beside our own.
struct LibraryCopy {
  const void* from;
  void* to;
  std::size_t bytes;

  void run(gpu::Stream stream) const {
    gpu::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
               "cudaMemcpyAsync");
  }
};

}  // namespace

Ceilings measure_ceilings(const TimingConfig& config, int rounds, gpu::Stream stream,
                          const std::function<void(const std::string&)>& progress) {
  Ceilings ceilings;
  const int sms = gpu::sm_count(), capability = backend::device().compute_capability.value();
  const DeviceMemory memory(sizeof(float));
  float* const sink = reinterpret_cast<float*>(memory.data());
  const auto gflops = [&](const char* what, const probes::Probe& probe) {
    progress(what);
    return probe.flops / median_ms(probe.plan, config, rounds, stream) * 1e-6;
  };
  ceilings.ffma = gflops("fp32 FMA ceiling", probes::ffma(sms, sink));
  if (capability >= 80) ceilings.mma_sync = gflops("mma.sync ceiling", probes::mma_sync(sms, sink));
  if (capability == 90) ceilings.wgmma = gflops("wgmma ceiling", probes::wgmma(sms, sink));

  progress("copy bandwidth");
  std::size_t free = 0, total = 0;
  gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  // A quarter of what is left: both buffers take half of it together on a small board.
  const std::size_t bytes = std::min(kLargestCopy, free / 4 / 4096 * 4096);
  if (bytes == 0) return ceilings;
  const DeviceMemory from(bytes), to(bytes);
  probes::fill_random(from.data(), bytes, stream);
  const double ms =
      std::min(median_ms(probes::copy(from.data(), to.data(), bytes, sms), config, rounds, stream),
               median_ms(LibraryCopy{from.data(), to.data(), bytes}, config, rounds, stream));
  ceilings.copy_gbs = 2.0 * static_cast<double>(bytes) / ms * 1e-6;  // read and written
  return ceilings;
}

}  // namespace harness

#include <harness/probe_data.cuh>
#include <harness/probes.hpp>

namespace harness::probes {
namespace {

constexpr int kThreads = 256;
constexpr int kChains = 16;      // per thread; four would hide the latency of four cycles
constexpr int kUnrolled = 32;    // steps of every chain between two branches: overhead below 1%
constexpr int kBlocksPerSm = 6;  // 1536 threads, the most that every SM since 8.0 holds
constexpr int kIterations = 256;

// Every chain starts from its own random number, and |scale| is so close to one that the numbers
// neither vanish nor grow nor meet at a common fixed point in one launch.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) ffma_kernel(int iterations, float* sink) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const float scale = -(1.0f - 0x1p-14f * random_float(2 * thread));
  const float shift = random_float(2 * thread + 1) - 1.5f;
  float chain[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) chain[i] = random_float(thread * kChains + i + 0x9e3779b9u);

#pragma unroll 1
  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kUnrolled; ++step) {
#pragma unroll
      for (int i = 0; i < kChains; ++i) chain[i] = fmaf(chain[i], scale, shift);
    }
  }

  // The compiler must not find out that nobody reads the result. NaN never comes up.
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kChains; ++i) sum += chain[i];
  if (sum != sum) *sink = sum;
}

constexpr int kCopiesInFlight = 4;  // per thread
constexpr int kCopyBlocksPerSm = 16;

__global__ void __launch_bounds__(kThreads)
    copy_kernel(const uint4* from, uint4* to, size_t count) {
  const size_t stride = static_cast<size_t>(gridDim.x) * kThreads;
  size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x;
  for (; i + (kCopiesInFlight - 1) * stride < count; i += kCopiesInFlight * stride) {
    uint4 held[kCopiesInFlight];
#pragma unroll
    for (int j = 0; j < kCopiesInFlight; ++j) held[j] = __ldcs(from + i + j * stride);
#pragma unroll
    for (int j = 0; j < kCopiesInFlight; ++j) __stcs(to + i + j * stride, held[j]);
  }
  for (; i < count; i += stride) __stcs(to + i, __ldcs(from + i));
}

__global__ void __launch_bounds__(kThreads) fill_kernel(float* data, size_t count) {
  const size_t stride = static_cast<size_t>(gridDim.x) * kThreads;
  for (size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += stride) {
    data[i] = random_float(static_cast<unsigned>(i));
  }
}

}  // namespace

Probe ffma(int sms, float* sink) {
  const unsigned blocks = static_cast<unsigned>(sms * kBlocksPerSm);
  const double steps = static_cast<double>(kUnrolled) * kIterations;
  return {planned(ffma_kernel, {.grid = dim3(blocks), .block = dim3(kThreads)}, kIterations, sink),
          2.0 * blocks * kThreads * kChains * steps};
}

Plan copy(const void* from, void* to, std::size_t bytes, int sms) {
  return planned(
      copy_kernel,
      {.grid = dim3(static_cast<unsigned>(sms * kCopyBlocksPerSm)), .block = dim3(kThreads)},
      static_cast<const uint4*>(from), static_cast<uint4*>(to), bytes / sizeof(uint4));
}

void fill_random(void* data, std::size_t bytes, gpu::Stream stream) {
  gpu::launch(fill_kernel, {.grid = dim3(4096), .block = dim3(kThreads)}, stream,
              static_cast<float*>(data), bytes / sizeof(float));
}

#define HARNESS_TEXT_OF(x) #x
#define HARNESS_TEXT(x) HARNESS_TEXT_OF(x)
const char* compiler_version() {
  return HARNESS_TEXT(__CUDACC_VER_MAJOR__) "." HARNESS_TEXT(__CUDACC_VER_MINOR__) "." HARNESS_TEXT(
      __CUDACC_VER_BUILD__);
}

}  // namespace harness::probes

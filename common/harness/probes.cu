#include <harness/probe_data.cuh>
#include <harness/probes.hpp>

#include <cuda_runtime.h>

namespace harness::probes {
namespace {

constexpr int kThreads = 256;
constexpr int kChains = 16;      // per thread; four would hide the latency of four cycles
constexpr int kUnrolled = 32;    // steps of every chain between two branches: overhead below 1%
constexpr int kBlocksPerSm = 6;  // 1536 threads, the most that every SM since 8.0 holds

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

double Ffma::flops() const {
  return 2.0 * blocks * kThreads * static_cast<double>(kChains) * kUnrolled * iterations;
}

void Ffma::run(gpu::Stream stream) const {
  ffma_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(iterations, sink);
  gpu::check(cudaGetLastError(), "FFMA probe");
}

Ffma ffma(int sms, int iterations, float* sink) {
  return {.blocks = sms * kBlocksPerSm, .iterations = iterations, .sink = sink};
}

void Copy::run(gpu::Stream stream) const {
  copy_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      static_cast<const uint4*>(from), static_cast<uint4*>(to), bytes / sizeof(uint4));
  gpu::check(cudaGetLastError(), "copy probe");
}

void fill_random(void* data, std::size_t bytes, gpu::Stream stream) {
  fill_kernel<<<4096, kThreads, 0, stream>>>(static_cast<float*>(data), bytes / sizeof(float));
  gpu::check(cudaGetLastError(), "fill");
}

#define HARNESS_TEXT_OF(x) #x
#define HARNESS_TEXT(x) HARNESS_TEXT_OF(x)
const char* compiler_version() {
  return HARNESS_TEXT(__CUDACC_VER_MAJOR__) "." HARNESS_TEXT(__CUDACC_VER_MINOR__) "." HARNESS_TEXT(
      __CUDACC_VER_BUILD__);
}

}  // namespace harness::probes

#pragma once
// Kernels that do one thing as fast as the board can.

#include <gpu/host.hpp>

#include <cstddef>
#include <cstdint>

namespace harness::probes {

// Threads that fill every SM with independent chains of fp32 fused multiply-adds, in registers.
struct Ffma {
  int blocks = 0;
  int iterations = 0;
  float* sink = nullptr;  // one float; written to only if the impossible happens

  double flops() const;  // two for each fused multiply-add
  void run(gpu::Stream stream) const;
};
Ffma ffma(int sms, int iterations, float* sink);

// Warps that multiply bf16 fragments in registers by mma.sync m16n8k16, into independent
// accumulators. Compute capability 8.0 or above.
struct MmaSync {
  int blocks = 0;
  int iterations = 0;
  float* sink = nullptr;

  double flops() const;
  void run(gpu::Stream stream) const;
};
MmaSync mma_sync(int sms, int iterations, float* sink);

// Two warpgroups on every SM that multiply bf16 tiles in shared memory by wgmma m64n256k16, loading
// nothing. Compute capability 9.0 and no other: elsewhere run() throws core::DeviceError.
struct Wgmma {
  int blocks = 0;
  int iterations = 0;
  float* sink = nullptr;

  double flops() const;
  void run(gpu::Stream stream) const;
};
Wgmma wgmma(int sms, int iterations, float* sink);

// Copies `bytes` (a multiple of 16) from one place in device memory to another, 16 bytes per thread
// and step.
struct Copy {
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
  int blocks = 0;

  void run(gpu::Stream stream) const;
};

// Fills device memory with floats of random mantissa in [1, 2).
void fill_random(void* data, std::size_t bytes, gpu::Stream stream);

// "13.0.48": the CUDA compiler that built the probes, and with them the chapters.
const char* compiler_version();

}  // namespace harness::probes

#pragma once
// Kernels that do one thing as fast as the board can, each about 1 ms on an H200.

#include <harness/chapter.hpp>

#include <cstddef>

namespace harness::probes {

struct Probe {
  Plan plan;
  double flops;  // of one launch
};

// For all SMs. `sink`: one float on the device, written to only if the impossible happens.
Probe ffma(int sms, float* sink);      // fp32 fused multiply-adds in registers
Probe mma_sync(int sms, float* sink);  // mma.sync m16n8k16 on bf16 in registers; from 8.0 on
Probe wgmma(int sms, float* sink);     // wgmma m64n256k16 on bf16 in shared memory; 9.0 alone

// Copies `bytes` (a multiple of 16) from one place in device memory to another.
Plan copy(const void* from, void* to, std::size_t bytes, int sms);

// Fills device memory with floats of random mantissa in [1, 2).
void fill_random(void* data, std::size_t bytes, gpu::Stream stream);

// "13.0.48": the CUDA compiler that built the probes, and with them the chapters.
const char* compiler_version();

}  // namespace harness::probes

#pragma once
// Clocks, and where a block runs: for measuring inside a kernel.

#include <cstdint>

namespace gpu {

// PTX %clock64: cycles of this SM. Differences mean something within one SM only.
__device__ inline std::uint64_t clock_cycles() {
  std::uint64_t cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

// PTX %globaltimer: nanoseconds, the same clock on all SMs. Its steps may be much longer than one
// nanosecond (up to a microsecond).
__device__ inline std::uint64_t clock_nanoseconds() {
  std::uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

// PTX %smid: the SM that the block runs on, 0 .. (not necessarily without gaps).
__device__ inline int sm_index() {
  int index;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(index));
  return index;
}

}  // namespace gpu

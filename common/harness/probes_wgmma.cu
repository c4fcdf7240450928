// The probe of the tensor cores as a warpgroup drives them. Compute capability 9.0 alone; built for
// sm_90a whatever the rest is built for.

#include <harness/probe_data.cuh>
#include <harness/probes.hpp>

#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

namespace harness::probes {
namespace {

constexpr int kWarpgroups = 2;  // the accumulators of two fill half of the registers of an SM
constexpr int kThreads = kWarpgroups * 128;
constexpr int kM = 64, kN = 256, kK = 16;  // one instruction
constexpr int kBlockK = 64;                // a row of 128 bytes
constexpr int kSteps = kBlockK / kK;       // instructions in a group
constexpr int kIterations = 1700;

using Pair = core::AlignedVector<core::bf16, 2>;

struct Operands {
  alignas(1024) Pair a[kWarpgroups][kM * kBlockK / 2];  // (64, 64) K-major, 128-byte swizzle
  alignas(1024) Pair b[kN * kBlockK / 2];               // (256, 64) K-major, 128-byte swizzle
};

// A tile as a descriptor has it: from 8 rows to the next 8 are 1024 bytes; with a swizzle the other
// offset is not looked at.
__device__ core::MatrixDescriptor descriptor(const Pair* tile) {
  return gpu::matrix_descriptor(tile, core::SwizzleMode::k128B, 16, 1024);
}

// D (64 x 256 per warpgroup) += A (64 x 64, the warpgroup's own) * B (64 x 256, shared), the same
// operands again and again. One group is always queued behind the one that runs, so that the tensor
// cores never wait for an instruction.
__global__ void __launch_bounds__(kThreads, 1) wgmma_kernel(int iterations, float* sink) {
  auto& smem = gpu::dynamic_smem<Operands>();
  // Random numbers look the same in any order: nothing to swizzle.
  constexpr unsigned kPairs = sizeof(Operands) / sizeof(Pair);
  Pair* const pairs = reinterpret_cast<Pair*>(&smem);
  for (unsigned i = threadIdx.x; i < kPairs; i += kThreads)
    pairs[i] = random_pair(blockIdx.x * kPairs + i);
  gpu::fence_proxy_async_shared();
  __syncthreads();

  const core::MatrixDescriptor a = descriptor(smem.a[gpu::warpgroup_index()]);
  const core::MatrixDescriptor b = descriptor(smem.b);
  float d[kN / 2] = {};
  // At least one iteration: could the loop be skipped, ptxas would take the sum below for a reader
  // in the middle of a group, and make every instruction wait for the one before (C7514).
  int iteration = 0;
#pragma unroll 1
  do {
    gpu::wgmma_fence();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int bytes = step * kK * static_cast<int>(sizeof(core::bf16));
      gpu::wgmma<core::bf16>(d, a.plus(bytes), b.plus(bytes));
    }
    gpu::wgmma_commit();
    gpu::wgmma_wait<1>();
  } while (++iteration < iterations);
  gpu::wgmma_wait<0>();

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kN / 2; ++i) sum += d[i];
  if (sum != sum) *sink = sum;  // somebody reads the result; NaN never comes up
}

}  // namespace

Probe wgmma(int sms, float* sink) {
  const gpu::LaunchShape shape =
      gpu::launch_shape(wgmma_kernel, {.grid = dim3(static_cast<unsigned>(sms)),
                                       .block = dim3(kThreads),
                                       .dynamic_smem = sizeof(Operands)});
  constexpr double kPerInstruction = 2.0 * kM * kN * kK;
  return {planned(wgmma_kernel, shape, kIterations, sink),
          kPerInstruction * sms * kWarpgroups * kSteps * kIterations};
}

}  // namespace harness::probes

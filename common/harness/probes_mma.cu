// The probe of the tensor cores as one warp drives them. Compute capability 8.0 or above.

#include <harness/probe_data.cuh>
#include <harness/probes.hpp>

#include <gpu/mma.hpp>

#include <cstdint>

namespace harness::probes {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 2;  // 16 warps, four for each quarter of an SM
constexpr int kTilesM = 4;       // a warp's tile: 4 x 4 instructions, none waiting for another
constexpr int kTilesN = 4;
constexpr int kUnrolled = 4;  // steps of the whole tile between two branches
constexpr int kIterations = 1100;

// D (64 x 32 per warp) += A (64 x 16) * B (16 x 32), the same A and B in every step. The sums grow
// in proportion to the steps, which in one launch is far from where fp32 ends.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) mma_kernel(int iterations, float* sink) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  constexpr int kPairs = kTilesM * 4 + kTilesN * 2;  // registers of operands
  std::uint32_t a[kTilesM][4], b[kTilesN][2];
  float d[kTilesM][kTilesN][4] = {};
#pragma unroll
  for (int i = 0; i < kTilesM * 4; ++i) a[i / 4][i % 4] = random_pair(thread * kPairs + i).words[0];
#pragma unroll
  for (int i = 0; i < kTilesN * 2; ++i)
    b[i / 2][i % 2] = random_pair(thread * kPairs + kTilesM * 4 + i).words[0];

#pragma unroll 1
  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma unroll
    for (int step = 0; step < kUnrolled; ++step) {
#pragma unroll
      for (int m = 0; m < kTilesM; ++m) {
#pragma unroll
        for (int n = 0; n < kTilesN; ++n) gpu::mma_m16n8k16<core::bf16>(d[m][n], a[m], b[n]);
      }
    }
  }

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kTilesM * kTilesN * 4; ++i) sum += d[i / 4 / kTilesN][i / 4 % kTilesN][i % 4];
  if (sum != sum) *sink = sum;  // somebody reads the result; NaN never comes up
}

}  // namespace

Probe mma_sync(int sms, float* sink) {
  const unsigned blocks = static_cast<unsigned>(sms * kBlocksPerSm);
  constexpr double kPerInstruction = 2.0 * 16 * 8 * 16;
  const double instructions =
      kThreads / 32.0 * blocks * kTilesM * kTilesN * kUnrolled * kIterations;
  return {planned(mma_kernel, {.grid = dim3(blocks), .block = dim3(kThreads)}, kIterations, sink),
          instructions * kPerInstruction};
}

}  // namespace harness::probes

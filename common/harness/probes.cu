// The probes: kernels that do one thing as fast as the board can, each about 1 ms on an H200.

#include <harness/timing.hpp>

#include <harness/job.hpp>
#include <harness/statistics.hpp>

#include <core/aligned_vector.hpp>
#include <core/numeric.hpp>
#include <gpu/convert.hpp>
#include <gpu/launch.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

#include <algorithm>
#include <cstdint>

namespace harness {
namespace {

// --- Data. Power, and with it the clock, depends on how many bits toggle: on zeros a loop of
// arithmetic runs faster than any real data lets it.

using Pair = core::AlignedVector<core::bf16, 2>;

__device__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// [1, 2) with a random mantissa.
__device__ float random_float(unsigned seed) {
  return __uint_as_float(0x3f800000u | (hash(seed) >> 9));
}

// Two neighbours of an operand, evenly distributed over [-1, 1] as the chapters' inputs are.
__device__ Pair random_pair(unsigned seed) {
  return gpu::from_float<core::bf16>(2.0f * random_float(2 * seed) - 3.0f,
                                     2.0f * random_float(2 * seed + 1) - 3.0f);
}

// The compiler must not find out that nobody reads the result. NaN never comes up.
template <int kCount>
__device__ void read(const float (&values)[kCount], float* sink) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum += values[i];
  if (sum != sum) *sink = sum;
}

constexpr int kThreads = 256;

// --- fp32 fused multiply-adds in registers.

namespace ffma {
constexpr int kChains = 16;      // per thread; four would hide the latency of four cycles
constexpr int kUnrolled = 32;    // steps of every chain between two branches: overhead below 1%
constexpr int kBlocksPerSm = 6;  // 1536 threads, the most that every SM since 8.0 holds
constexpr double kFlops = 2.0 * kThreads * kChains * kUnrolled;  // of a block's iteration

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
  read(chain, sink);
}
}  // namespace ffma

// --- mma.sync m16n8k16 on bf16 in registers: the tensor cores as one warp drives them.

namespace mma {
constexpr int kBlocksPerSm = 2;          // 16 warps, four for each quarter of an SM
constexpr int kTilesM = 4, kTilesN = 4;  // of a warp: instructions, none waiting for another
constexpr int kUnrolled = 4;             // steps of the whole tile between two branches
constexpr int kPairs = kTilesM * 4 + kTilesN * 2;  // registers of operands
constexpr double kFlops = 2.0 * 16 * 8 * 16 * kTilesM * kTilesN * kUnrolled * kThreads / 32;

// D (64 x 32 per warp) += A (64 x 16) * B (16 x 32), the same A and B in every step. The sums grow
// in proportion to the steps, which in one launch is far from where fp32 ends.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) mma_kernel(int iterations, float* sink) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
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
#pragma unroll
  for (int i = 0; i < kTilesM * kTilesN; ++i) read(d[i / kTilesN][i % kTilesN], sink);
}
}  // namespace mma

// --- wgmma m64n256k16 on bf16 in shared memory: the tensor cores as a warpgroup drives them.

namespace wgmma {
constexpr int kWarpgroups = kThreads / 128;  // accumulators of two fill half of an SM's registers
constexpr int kM = 64, kN = 256, kK = 16;    // one instruction
constexpr int kBlockK = 64;                  // a row of 128 bytes
constexpr int kSteps = kBlockK / kK;         // instructions in a group
constexpr double kFlops = 2.0 * kM * kN * kK * kSteps * kWarpgroups;

struct Operands {
  alignas(1024) Pair a[kWarpgroups][kM * kBlockK / 2];  // (64, 64) K-major, 128-byte swizzle
  alignas(1024) Pair b[kN * kBlockK / 2];               // (256, 64) K-major, 128-byte swizzle
};

// D (64 x 256 per warpgroup) += A (64 x 64, the warpgroup's own) * B (64 x 256, shared), the same
// operands again and again. One group is always queued behind the one that runs, so that the tensor
// cores never wait for an instruction.
__global__ void __launch_bounds__(kThreads, 1) wgmma_kernel(int iterations, float* sink) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  auto& smem = gpu::dynamic_smem<Operands>();
  // Random numbers look the same in any order: nothing to swizzle.
  constexpr unsigned kPairs = sizeof(Operands) / sizeof(Pair);
  Pair* const pairs = reinterpret_cast<Pair*>(&smem);
  for (unsigned i = threadIdx.x; i < kPairs; i += kThreads)
    pairs[i] = random_pair(blockIdx.x * kPairs + i);
  gpu::fence_proxy_async_shared();
  __syncthreads();

  // From 8 rows to the next 8 are 1024 bytes; with a swizzle the other offset is not looked at.
  const auto descriptor = [](const Pair* tile) {
    return gpu::matrix_descriptor(tile, core::SwizzleMode::k128B, 16, 1024);
  };
  const core::MatrixDescriptor a = descriptor(smem.a[gpu::warpgroup_index()]);
  const core::MatrixDescriptor b = descriptor(smem.b);
  float d[kN / 2] = {};
  // At least one iteration: could the loop be skipped, ptxas would take read() for a reader in the
  // middle of a group, and make every instruction wait for the one before (C7514).
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
  read(d, sink);
#endif
}
}  // namespace wgmma

// --- Copying, beside the library's own.

constexpr int kCopiesInFlight = 4, kCopyBlocksPerSm = 16;

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
  for (size_t i = static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride)
    data[i] = random_float(static_cast<unsigned>(i));
}

// --- On the host.

struct Probe {
  const char* what;
  void (*kernel)(int, float*);
  int blocks_per_sm, iterations;
  double flops;  // of a block's iteration
  std::size_t dynamic_smem;
  int least_capability, most_capability;
};
constexpr int kAny = 1 << 30;
constexpr Probe kProbes[] = {
    // by Ceiling
    {"fp32 FMA ceiling", ffma::ffma_kernel, ffma::kBlocksPerSm, 256, ffma::kFlops, 0, 0, kAny},
    {"mma.sync ceiling", mma::mma_kernel, mma::kBlocksPerSm, 1100, mma::kFlops, 0, 80, kAny},
    {"wgmma ceiling", wgmma::wgmma_kernel, 1, 1700, wgmma::kFlops, sizeof(wgmma::Operands), 90, 90},
};

struct Launch {
  Probe probe;
  gpu::LaunchShape shape;
  float* sink;  // written to only if the impossible happens

  void run(gpu::Stream stream) const {
    gpu::launch(probe.kernel, shape, stream, probe.iterations, sink);
  }
};

struct Copy {
  const void* from;
  void* to;
  std::size_t bytes;  // a multiple of 16
  bool by_library;

  void run(gpu::Stream stream) const {
    if (by_library) {
      gpu::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
                 "cudaMemcpyAsync");
      return;
    }
    const unsigned blocks = static_cast<unsigned>(gpu::sm_count() * kCopyBlocksPerSm);
    gpu::launch(copy_kernel, {.grid = dim3(blocks), .block = dim3(kThreads)}, stream,
                static_cast<const uint4*>(from), static_cast<uint4*>(to), bytes / sizeof(uint4));
  }
};

constexpr std::size_t kLargestCopy = std::size_t{1} << 30;  // far beyond any L2 cache

double median_ms(const Plan& plan, const TimingConfig& config, int rounds, gpu::Stream stream) {
  plan.run(stream);
  gpu::check(cudaStreamSynchronize(stream), "probe");
  TimedWork probe({plan}, config, stream);
  for (int i = 0; i < rounds; ++i) probe.sample();
  return estimate(probe.samples()).median;
}

}  // namespace

Ceilings measure_ceilings(const TimingConfig& config, int rounds, gpu::Stream stream,
                          Progress& progress) {
  Ceilings ceilings;
  const int capability = backend::device().compute_capability.value();
  const DeviceMemory sink(sizeof(float));
  for (int i = 0; i < 3; ++i) {
    const Probe& probe = kProbes[i];
    if (capability < probe.least_capability || capability > probe.most_capability) continue;
    progress.show(probe.what);
    const int blocks = gpu::sm_count() * probe.blocks_per_sm;
    const gpu::LaunchShape shape =
        gpu::launch_shape(probe.kernel, {.grid = dim3(static_cast<unsigned>(blocks)),
                                         .block = dim3(kThreads),
                                         .dynamic_smem = probe.dynamic_smem});
    const Launch launch{probe, shape, reinterpret_cast<float*>(sink.data())};
    const double ms = median_ms(launch, config, rounds, stream);
    ceilings.gflops[i] = probe.flops * blocks * probe.iterations / ms * 1e-6;
  }

  progress.show("copy bandwidth");
  std::size_t free = 0, total = 0;
  gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  // A quarter of what is left: both buffers take half of it together on a small board.
  const std::size_t bytes = std::min(kLargestCopy, free / 4 / 4096 * 4096);
  if (bytes == 0) return ceilings;
  const DeviceMemory from(bytes), to(bytes);
  gpu::launch(fill_kernel, {.grid = dim3(4096), .block = dim3(kThreads)}, stream,
              reinterpret_cast<float*>(from.data()), bytes / sizeof(float));
  const auto copy_ms = [&](bool by_library) {
    return median_ms(Copy{from.data(), to.data(), bytes, by_library}, config, rounds, stream);
  };
  const double ms = std::min(copy_ms(false), copy_ms(true));
  ceilings.copy_gbs = 2.0 * static_cast<double>(bytes) / ms * 1e-6;  // read and written
  return ceilings;
}

}  // namespace harness

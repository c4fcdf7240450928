// The probes: kernels that do one thing as fast as the board can, each about 1 ms on an H200.

#include <harness/job.hpp>
#include <harness/timing.hpp>

#include <core/numeric.hpp>
#include <gemm/launch_plan.hpp>
#include <gemm/random.hpp>
#include <gpu/convert.hpp>
#include <gpu/launch.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

namespace harness {
namespace {

// All data is random: power, and with it the clock, depends on how many bits toggle.
using Pair = core::AlignedVector<core::bf16, 2>;

// [1, 2) with a random mantissa.
__device__ float random_float(unsigned seed) {
  return __uint_as_float(0x3f800000u | static_cast<unsigned>(gemm::mix_bits(seed) >> 41));
}

// Two neighbours of an operand, evenly distributed over [-1, 1] as the chapters' inputs are.
__device__ Pair random_pair(unsigned seed) {
  return gpu::from_float<core::bf16>(2.0f * random_float(2 * seed) - 3.0f,
                                     2.0f * random_float(2 * seed + 1) - 3.0f);
}

constexpr int kThreads = 256;

// What a probe does: operands and accumulators in registers, and iterations of work on them.

// fp32 fused multiply-adds. Every chain starts from its own random number, and |scale| is so close
// to one that the numbers neither vanish nor grow nor meet at a common fixed point in one launch.
struct Ffma {
  static constexpr int kChains = 16;      // per thread; four would hide the latency of four cycles
  static constexpr int kUnrolled = 32;    // steps between two branches: overhead below 1%
  static constexpr int kBlocksPerSm = 6;  // 1536 threads, the most that every SM since 8.0 holds
  static constexpr double kFlops = 2.0 * kThreads * kChains * kUnrolled;  // of a block's iteration

  float scale, shift, d[kChains];

  __device__ explicit Ffma(unsigned thread)
      : scale(-(1.0f - 0x1p-14f * random_float(2 * thread))),
        shift(random_float(2 * thread + 1) - 1.5f) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) d[i] = random_float(thread * kChains + i + 0x9e3779b9u);
  }
  __device__ void iterate() {
#pragma unroll
    for (int i = 0; i < kUnrolled * kChains; ++i) {
      d[i % kChains] = fmaf(d[i % kChains], scale, shift);
    }
  }
};

// mma.sync m16n8k16 on bf16: the tensor cores as one warp drives them. D (64 x 32 per warp) += A
// (64 x 16) * B (16 x 32), the same A and B in every step.
struct MmaSync {
  static constexpr int kM = 4, kN = 4;            // instructions, none waiting for another
  static constexpr int kUnrolled = 4;             // steps of the whole tile between two branches
  static constexpr int kBlocksPerSm = 2;          // 16 warps, four for each quarter of an SM
  static constexpr int kPairs = kM * 4 + kN * 2;  // registers of operands
  static constexpr double kFlops = 2.0 * 16 * 8 * 16 * kM * kN * kUnrolled * kThreads / 32;

  std::uint32_t a[kM][4], b[kN][2];
  float d[kM * kN][4] = {};

  __device__ explicit MmaSync(unsigned thread) {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const std::uint32_t pair = random_pair(thread * kPairs + i).words[0];
      (i < kM * 4 ? a[i / 4][i % 4] : b[i / 2 - kM * 2][i % 2]) = pair;
    }
  }
  __device__ void iterate() {
#pragma unroll
    for (int i = 0; i < kUnrolled * kM * kN; ++i) {
      const int tile = i % (kM * kN);
      gpu::mma_m16n8k16<core::bf16>(d[tile], a[tile / kN], b[tile % kN]);
    }
  }
};

// wgmma m64n256k16 on bf16 in shared memory: the tensor cores as a warpgroup drives them. D (64 x
// 256 per warpgroup) += A (64 x 64, the warpgroup's own) * B (64 x 256, shared), again and again.
// One group is always queued behind the one that runs: no tensor core waits for an instruction.
struct Wgmma {
  static constexpr int kWarpgroups = kThreads / 128;  // accumulators fill half an SM's registers
  static constexpr int kM = 64, kN = 256, kK = 16;    // one instruction
  static constexpr int kBlockK = 64;                  // a row of 128 bytes
  static constexpr int kSteps = kBlockK / kK;         // instructions in a group
  static constexpr int kBlocksPerSm = 1;
  static constexpr double kFlops = 2.0 * kM * kN * kK * kSteps * kWarpgroups;

  struct Operands {
    alignas(1024) Pair a[kWarpgroups][kM * kBlockK / 2];  // (64, 64) K-major, 128-byte swizzle
    alignas(1024) Pair b[kN * kBlockK / 2];               // (256, 64) K-major, 128-byte swizzle
  };
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  core::MatrixDescriptor a, b;
  float d[kN / 2] = {};

  __device__ explicit Wgmma(unsigned) {
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
    a = descriptor(smem.a[gpu::warpgroup_index()]);
    b = descriptor(smem.b);
  }
  __device__ void iterate() {
    gpu::wgmma_fence();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int bytes = step * kK * static_cast<int>(sizeof(core::bf16));
      gpu::wgmma<core::bf16>(d, a.plus(bytes), b.plus(bytes));
    }
    gpu::wgmma_commit();
    gpu::wgmma_wait<1>();
  }
  __device__ void wait() {
    gpu::wgmma_wait<0>();
  }
#else
  float d[1] = {};
  __device__ explicit Wgmma(unsigned) {}
  __device__ void iterate() {}
#endif
};

template <class Unit>
__global__ void __launch_bounds__(kThreads, Unit::kBlocksPerSm)
    probe_kernel(int iterations, float* sink) {
  Unit unit(blockIdx.x * kThreads + threadIdx.x);
  // At least one iteration: could the loop be skipped, ptxas would see a reader of accumulators in
  // the middle of a group of wgmma, and make every instruction wait for the one before (C7514).
  int iteration = 0;
#pragma unroll 1
  do {
    unit.iterate();
  } while (++iteration < iterations);
  if constexpr (requires { unit.wait(); }) unit.wait();
  // The compiler must not find out that nobody reads the result. NaN never comes up.
  const float* const values = reinterpret_cast<const float*>(unit.d);
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < sizeof unit.d / sizeof(float); ++i) sum += values[i];
  if (sum != sum) *sink = sum;
}

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

constexpr std::size_t kLargestCopy = std::size_t{1} << 30;  // far beyond any L2 cache

double median_ms(const Plan& plan, const TimingConfig& config, int rounds, gpu::Stream stream) {
  plan.run(stream);
  gpu::check(cudaStreamSynchronize(stream), "probe");
  TimedWork probe({plan}, config, stream);
  for (int i = 0; i < rounds; ++i) probe.sample();
  return estimate(probe.samples()).median;
}

}  // namespace

Ceilings measure_ceilings(const TimingConfig& config, int rounds, gpu::Stream stream) {
  Ceilings ceilings;
  const unsigned sms = static_cast<unsigned>(gpu::sm_count());
  const DeviceMemory memory(sizeof(float));
  float* const sink = reinterpret_cast<float*>(memory.data());  // if the impossible happens
  const auto probe = [&]<class Unit>(Ceiling ceiling, int iterations, std::size_t smem = 0) {
    progress(std::string("ceiling: ") + kCeilingNames[static_cast<int>(ceiling)]);
    const unsigned blocks = sms * Unit::kBlocksPerSm;
    const gpu::LaunchShape shape = {
        .grid = dim3(blocks), .block = dim3(kThreads), .dynamic_smem = smem};
    const Plan plan = gemm::launch_plan(probe_kernel<Unit>, shape, iterations, sink);
    const double ms = median_ms(plan, config, rounds, stream);
    ceilings.of(ceiling) = Unit::kFlops * blocks * iterations / ms * 1e-6;
  };
  probe.operator()<Ffma>(Ceiling::kFfma, 256);
  probe.operator()<MmaSync>(Ceiling::kMmaSync, 1100);
  if (backend::device().compute_capability == 90) {
    probe.operator()<Wgmma>(Ceiling::kWgmma, 1700, sizeof(Wgmma::Operands));
  }

  progress("copy bandwidth");
  std::size_t free = 0, total = 0;
  gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  // A quarter of what is left: both buffers take half of it together on a small board.
  const std::size_t bytes = std::min(kLargestCopy, free / 4 / 4096 * 4096);
  const DeviceMemory from(bytes), to(bytes);
  gpu::launch(fill_kernel, {.grid = dim3(4096), .block = dim3(kThreads)}, stream,
              reinterpret_cast<float*>(from.data()), bytes / sizeof(float));
  const Plan copy = gemm::launch_plan(
      copy_kernel, {.grid = dim3(sms * kCopyBlocksPerSm), .block = dim3(kThreads)},
      reinterpret_cast<const uint4*>(from.data()), reinterpret_cast<uint4*>(to.data()),
      bytes / sizeof(uint4));
  ceilings.copy_gbs = 2e-6 * static_cast<double>(bytes) / median_ms(copy, config, rounds, stream);
  return ceilings;
}

}  // namespace harness

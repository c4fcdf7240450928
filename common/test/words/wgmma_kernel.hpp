#pragma once
// The kernel of the wgmma cases. Included by the .cu files that instantiate it, one family of forms
// each: it is heavy to compile.

#include "wgmma.hpp"

#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/wgmma.hpp>

#include <core/numeric.hpp>

#include <concepts>

namespace words {

// T: bf16 or fp16. D: float, or std::uint32_t for packed fp16 accumulators.
template <class T, class D, int N, gpu::Major kMajorA, gpu::Major kMajorB, bool kFromRegisters,
          int kSignA, int kSignB>
__global__ void __launch_bounds__(kWarpgroup) wgmma_kernel(WgmmaArguments job) {
  auto& smem = gpu::dynamic_smem<WgmmaStorage>();
  constexpr int kRegisters = std::same_as<D, float> ? N / 2 : N / 4;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < job.a.words; i += kWarpgroup) smem.a[i] = job.a.image[i];
  for (int i = thread; i < job.b.words; i += kWarpgroup) smem.b[i] = job.b.image[i];
  gpu::fence_proxy_async();
  __syncthreads();

  D d[kRegisters];
  const D* in = reinterpret_cast<const D*>(job.in) + thread * kRegisters;
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) d[i] = in[i];
  const core::MatrixDescriptor b =
      gpu::matrix_descriptor(smem.b, job.b.swizzle, job.b.leading, job.b.stride);
  if constexpr (kFromRegisters) {
    std::uint32_t a[kMaxSteps][4];
#pragma unroll
    for (int step = 0; step < kMaxSteps; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[step][i] = step < job.steps ? job.a_registers[(step * kWarpgroup + thread) * 4 + i] : 0;
      }
    }
    gpu::wgmma_fence();
#pragma unroll
    for (int step = 0; step < kMaxSteps; ++step) {
      if (step < job.steps) {
        gpu::wgmma<T, kMajorA, kMajorB, kSignA, kSignB>(d, a[step], b.plus(job.b.advance[step]),
                                                        step > 0 || job.accumulate);
      }
    }
  } else {
    const core::MatrixDescriptor a =
        gpu::matrix_descriptor(smem.a, job.a.swizzle, job.a.leading, job.a.stride);
    gpu::wgmma_fence();
    for (int step = 0; step < job.steps; ++step) {
      gpu::wgmma<T, kMajorA, kMajorB, kSignA, kSignB>(
          d, a.plus(job.a.advance[step]), b.plus(job.b.advance[step]), step > 0 || job.accumulate);
    }
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  D* out = reinterpret_cast<D*>(job.out) + thread * kRegisters;
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) out[i] = d[i];
}

template <class T, class D, int N, gpu::Major kMajorA, gpu::Major kMajorB, bool kFromRegisters,
          int kSignA = 1, int kSignB = 1>
WgmmaForm wgmma_form() {
  const auto major = [](gpu::Major m) {
    return m == gpu::Major::kK ? OperandMajor::kK : OperandMajor::kMn;
  };
  return {wgmma_kernel<T, D, N, kMajorA, kMajorB, kFromRegisters, kSignA, kSignB>,
          std::same_as<T, core::fp16>,
          !std::same_as<D, float>,
          N,
          kFromRegisters,
          major(kMajorA),
          major(kMajorB),
          kSignA,
          kSignB};
}

// Both operands from shared memory in all majors, and A from registers with B in both: all six
// forms of one shape, with every swizzle.
template <class T, class D, int N>
void add_wgmma_majors(Cases& cases) {
  using enum core::Major;
  add_wgmma_swizzles(cases, wgmma_form<T, D, N, kK, kK, false>());
  add_wgmma_swizzles(cases, wgmma_form<T, D, N, kK, kMn, false>());
  add_wgmma_swizzles(cases, wgmma_form<T, D, N, kMn, kK, false>());
  add_wgmma_swizzles(cases, wgmma_form<T, D, N, kMn, kMn, false>());
  add_wgmma_swizzles(cases, wgmma_form<T, D, N, kK, kK, true>());
  add_wgmma_swizzles(cases, wgmma_form<T, D, N, kK, kMn, true>());
}

}  // namespace words

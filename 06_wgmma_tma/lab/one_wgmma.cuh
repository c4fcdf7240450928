#pragma once
// The lab: D = A B^T with as few wgmmas as it takes, one block of one warpgroup, and every form in
// which an operand can lie in shared memory. A (64, K), B (N, K), K = 16 for each wgmma. What the
// descriptors say arrives as plain numbers, so that they can also be wrong. README.md explains it.

#include "arguments.hpp"

#include <gpu/convert.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <core/aligned_vector.hpp>
#include <core/numeric.hpp>
#include <layout/layout.hpp>

#include <bit>
#include <concepts>

namespace wgmma_lab {

using gpu::Major;

// Shared memory is what the launch asked for; the tiles start where the arguments say.
struct alignas(1024) Smem {
  std::uint16_t first[512];
};

__device__ inline std::uint16_t* tile_of(const OperandArguments& operand) {
  return gpu::dynamic_smem<Smem>().first + operand.start / 2;
}

// Everything becomes NaN, in bf16 and in fp16: a wgmma that reads beside its tile shows it.
__device__ inline void fill_with_nan(int bytes) {
  for (int i = static_cast<int>(threadIdx.x); i < bytes / 4; i += kThreads) {
    gpu::store_shared(reinterpret_cast<std::uint32_t*>(gpu::dynamic_smem<Smem>().first) + i,
                      core::AlignedVector<std::uint32_t, 1>{{0xffffffffu}});
  }
  __syncthreads();
}

// Where element (row, col) of a tile lies, in elements. The layout is that of a tile with 64
// columns; a tile with fewer is its beginning, since atoms follow one another along the rows first.
template <Major kMajor, core::SwizzleMode kSwizzle, int kRows>
__device__ int place(int row, int col) {
  constexpr int kSpan = core::span_bytes(kSwizzle);
  constexpr int kAtomRows = kMajor == Major::kK ? 8 : kSpan / 2;
  constexpr auto kTile =
      layout::wgmma_tile(kMajor == Major::kK ? layout::Major::kK : layout::Major::kMn,
                         kSwizzle == core::SwizzleMode::kNone ? 0 : kSpan, 16,
                         (kRows + kAtomRows - 1) / kAtomRows * kAtomRows, 64);
  return layout::at<kTile>(row, col);
}
template <Major kMajor, int kRows>
__device__ int place(core::SwizzleMode swizzle, int row, int col) {
  using enum core::SwizzleMode;
  switch (swizzle) {
    case k32B:
      return place<kMajor, k32B, kRows>(row, col);
    case k64B:
      return place<kMajor, k64B, kRows>(row, col);
    case k128B:
      return place<kMajor, k128B, kRows>(row, col);
    default:
      return place<kMajor, kNone, kRows>(row, col);
  }
}

// A tile, written element by element.
template <Major kMajor, int kRows, int kSteps>
__device__ void store_tile(const OperandArguments& operand) {
  constexpr int kCols = kSteps * kStepK;
  std::uint16_t* const tile = tile_of(operand);
  for (int i = static_cast<int>(threadIdx.x); i < kRows * kCols; i += kThreads) {
    const int at = place<kMajor, kRows>(operand.tile_swizzle, i / kCols, i % kCols);
    gpu::store_shared(tile + at, gpu::load_global<1>(operand.values + i));
  }
}

// The same tile by TMA: boxes as wide as the swizzle's row, one behind the other. One thread.
__device__ inline void load_tile(const OperandArguments& operand, const gpu::TensorMap& map,
                                 gpu::Mbarrier& full) {
  for (int i = 0; i < operand.boxes; ++i) {
    gpu::tma_load(tile_of(operand) + i * operand.box_bytes / 2, map, {i * operand.box_elements, 0},
                  full);
  }
}

// What a thread holds of 16 columns of A, as wgmma wants it from registers: 8 elements, neighbours
// along k in one register.
__device__ inline void load_fragment(std::uint32_t (&fragment)[4], const OperandArguments& a,
                                     int cols, int step) {
  constexpr layout::Layout kFragment = layout::wgmma_m64k16(8).a;  // (thread, value) -> m + 64 k
  const std::uint16_t* const values = a.values + step * kStepK;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int low = layout::at<kFragment>(thread, 2 * i);
    const int high = layout::at<kFragment>(thread, 2 * i + 1);
    fragment[i] = values[low % kRowsA * cols + low / kRowsA] |
                  static_cast<std::uint32_t>(values[high % kRowsA * cols + high / kRowsA]) << 16;
  }
}

__device__ inline core::MatrixDescriptor descriptor_of(const OperandArguments& operand) {
  return gpu::matrix_descriptor(tile_of(operand), operand.swizzle, operand.leading, operand.stride);
}

// Result `value` of this thread: a register of its own, or half of one.
template <int kRegisters>
__device__ float result(const float (&d)[kRegisters], int value) {
  return d[value];
}
template <int kRegisters>
__device__ float result(const std::uint32_t (&d)[kRegisters], int value) {
  return gpu::to_float(
      std::bit_cast<core::fp16>(static_cast<std::uint16_t>(d[value / 2] >> value % 2 * 16)));
}

template <int N, class D, int kRegisters>
__device__ void store_results(const D (&d)[kRegisters], const Arguments& job,
                              core::MatrixDescriptor a, core::MatrixDescriptor b) {
  constexpr layout::Layout kResult = layout::wgmma_m64k16(N).c;  // (thread, value) -> m + 64 n
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int value = 0; value < N / 2; ++value) {
    job.d[layout::at<kResult>(thread, value)] = result(d, value);
  }
  if (thread == 0) {
    job.descriptors[0] = a;
    job.descriptors[1] = b;
  }
}

template <class D, int N>
inline constexpr int kRegisters = std::same_as<D, float> ? N / 2 : N / 4;

// What is chosen when the kernel is compiled: the rest of a wgmma's name, and how many of them.
template <class T_, class D_, int kN, bool kRegistersA_, Major kMajorA_, Major kMajorB_,
          int kSteps_ = 1, int kSignA_ = 1, int kSignB_ = 1>
struct Instruction {
  using T = T_;  // of A and B: bf16 or fp16
  using D = D_;  // of the sums: float, or std::uint32_t for two fp16 in a register
  static constexpr int N = kN;
  static constexpr bool kRegistersA = kRegistersA_;
  static constexpr Major kMajorA = kMajorA_, kMajorB = kMajorB_;
  static constexpr int kSteps = kSteps_;  // K / 16
  static constexpr int kSignA = kSignA_, kSignB = kSignB_;
};

// All steps of K, A and B in shared memory.
template <class F, class D, int kRegs>
__device__ void multiply(D (&d)[kRegs], core::MatrixDescriptor a, core::MatrixDescriptor b,
                         const Arguments& job) {
  gpu::wgmma_fence();  // the first case: what the threads did with d comes before
#pragma unroll
  for (int step = 0; step < F::kSteps; ++step) {
    gpu::wgmma<typename F::T, F::kMajorA, F::kMajorB, F::kSignA, F::kSignB>(
        d, a.plus(job.a.advance[step]), b.plus(job.b.advance[step]), step > 0);
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();  // now d may be read
}

// Tiles written by the threads.
template <class F>
__global__ void __launch_bounds__(kThreads) lab_kernel(const __grid_constant__ Arguments job) {
  fill_with_nan(job.smem_bytes);
  if constexpr (!F::kRegistersA) store_tile<F::kMajorA, kRowsA, F::kSteps>(job.a);
  store_tile<F::kMajorB, F::N, F::kSteps>(job.b);
  gpu::fence_proxy_async_shared();  // wgmma reads by another way than threads write
  __syncthreads();

  typename F::D d[kRegisters<typename F::D, F::N>];
  const core::MatrixDescriptor b = descriptor_of(job.b);
  if constexpr (F::kRegistersA) {
    std::uint32_t fragment[4];
    load_fragment(fragment, job.a, kStepK, 0);
    gpu::wgmma_fence();  // for d, and for the registers of A
    gpu::wgmma<typename F::T, F::kMajorA, F::kMajorB, F::kSignA, F::kSignB>(d, fragment, b, false);
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
    store_results<F::N>(d, job, {0}, b);
  } else {
    const core::MatrixDescriptor a = descriptor_of(job.a);
    multiply<F>(d, a, b, job);
    store_results<F::N>(d, job, a, b);
  }
}

// Tiles brought by TMA: no thread touches them.
template <class F>
__global__ void __launch_bounds__(kThreads)
    tma_lab_kernel(const __grid_constant__ gpu::TensorMap map_a,
                   const __grid_constant__ gpu::TensorMap map_b,
                   const __grid_constant__ Arguments job) {
  auto& full =
      *reinterpret_cast<gpu::Mbarrier*>(gpu::dynamic_smem<Smem>().first + job.barrier_start / 2);
  if (threadIdx.x == 0) {
    full.init(1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    full.arrive_and_expect(job.announced_bytes);
    load_tile(job.a, map_a, full);
    load_tile(job.b, map_b, full);
  }
  full.wait(0);

  typename F::D d[kRegisters<typename F::D, F::N>];
  const core::MatrixDescriptor a = descriptor_of(job.a), b = descriptor_of(job.b);
  multiply<F>(d, a, b, job);
  store_results<F::N>(d, job, a, b);
}

// A from one set of registers that is filled again for each step.
template <class F>
__global__ void __launch_bounds__(kThreads)
    rewritten_registers_kernel(const __grid_constant__ Arguments job) {
  fill_with_nan(job.smem_bytes);
  store_tile<F::kMajorB, F::N, F::kSteps>(job.b);
  gpu::fence_proxy_async_shared();
  __syncthreads();

  typename F::D d[kRegisters<typename F::D, F::N>];
  const core::MatrixDescriptor b = descriptor_of(job.b);
  std::uint32_t fragment[4];
#pragma unroll
  for (int step = 0; step < F::kSteps; ++step) {
    load_fragment(fragment, job.a, F::kSteps * kStepK, step);
    gpu::wgmma_fence();  // the second case: the registers of A have been rewritten
    gpu::wgmma<typename F::T, Major::kK, F::kMajorB>(d, fragment, b.plus(job.b.advance[step]),
                                                     step > 0);
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();  // before the next step rewrites them
  }
  store_results<F::N>(d, job, {0}, b);
}

}  // namespace wgmma_lab

#pragma once
// D = A B^T, A (64, K) and B (32, K), by one block of one warpgroup: one wgmma for each 16 columns.
// README.md explains it.

#include "lab.hpp"

#include <core/numeric.hpp>
#include <gpu/convert.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>
#include <layout/layout.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace wgmma_lab {

using gpu::Major;

// All shared memory of the launch, in elements of the tiles.
struct alignas(1024) Smem {
  fp16 first[512];
};
__device__ inline fp16* smem_at(unsigned byte) {
  return gpu::dynamic_smem<Smem>().first + byte / 2;
}

// Tiles written by the threads, and all around them.
__device__ inline void store_tiles(const Arguments& job) {
  for (int byte = 16 * static_cast<int>(threadIdx.x); byte < job.smem_bytes;
       byte += 16 * kThreads) {
    gpu::store_shared(smem_at(byte), gpu::load_global<8>(job.image + byte / 2));
  }
  gpu::fence_proxy_async_shared();  // wgmma reads by another way than threads write
  __syncthreads();
}

// Tiles brought by TMA: no thread touches them.
__device__ inline void load_tiles(const gpu::TensorMap& map_a, const gpu::TensorMap& map_b,
                                  const Arguments& job) {
  auto& full = *reinterpret_cast<gpu::Mbarrier*>(smem_at(job.smem_bytes - 16));
  if (threadIdx.x == 0) {
    full.init(1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  const auto load = [&](const OperandArguments& operand, const gpu::TensorMap& map) {
    for (int i = 0; i < operand.boxes; ++i) {
      gpu::tma_load(smem_at(operand.descriptor.address + i * operand.box_bytes), map,
                    {i * operand.box_elements, 0}, full);
    }
  };
  if (threadIdx.x == 0) {
    full.arrive_and_expect(job.announced_bytes);
    load(job.a, map_a);
    load(job.b, map_b);
  }
  full.wait(0);
}

// What a thread holds of 16 columns of A, as wgmma wants it from registers: 8 elements, neighbours
// along k in one register.
__device__ inline void load_fragment(std::uint32_t (&fragment)[4], const Arguments& job, int step) {
  constexpr layout::Layout kFragment = layout::wgmma_m64k16(8).a;  // (thread, value) -> m + 64 k
  const auto bits = [&](int value) -> std::uint32_t {
    const int place = layout::at<kFragment>(static_cast<int>(threadIdx.x), value);
    const int k = step * kStepK + place / kRowsA;
    return job.a_values[place % kRowsA * job.steps * kStepK + k].bits;
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) fragment[i] = bits(2 * i) | bits(2 * i + 1) << 16;
}

__device__ inline core::MatrixDescriptor descriptor_of(const OperandArguments& operand) {
  const core::MatrixDescriptorFields& says = operand.descriptor;
  return gpu::matrix_descriptor(smem_at(says.address), says.swizzle, says.leading_bytes,
                                says.stride_bytes);
}

// Accumulator: float, or std::uint32_t for two fp16 in a register. Signs: 1 or -1, for -A and -B.
template <class Accumulator, bool kRegistersA, Major kMajorA, Major kMajorB, int kSignA = 1,
          int kSignB = 1>
__global__ void __launch_bounds__(kThreads) lab_kernel(const __grid_constant__ gpu::TensorMap map_a,
                                                       const __grid_constant__ gpu::TensorMap map_b,
                                                       const __grid_constant__ Arguments job) {
  constexpr bool kHalves = std::is_same_v<Accumulator, std::uint32_t>;
  if (job.image != nullptr) {
    store_tiles(job);
  } else {
    load_tiles(map_a, map_b, job);
  }

  Accumulator d[kHalves ? kRowsB / 4 : kRowsB / 2] = {};
  const core::MatrixDescriptor a = descriptor_of(job.a), b = descriptor_of(job.b);
  for (int step = 0; step < job.steps; ++step) {
    const core::MatrixDescriptor step_b = b.plus(job.b.advance[step]);
    if constexpr (kRegistersA) {
      std::uint32_t fragment[4];
      load_fragment(fragment, job, step);
      gpu::wgmma_fence();  // the second case: the registers of A have been rewritten
      gpu::wgmma<fp16, kMajorA, kMajorB, kSignA, kSignB>(d, fragment, step_b);
    } else {
      gpu::wgmma_fence();  // the first case: what the threads did with d comes before
      gpu::wgmma<fp16, kMajorA, kMajorB, kSignA, kSignB>(d, a.plus(job.a.advance[step]), step_b);
    }
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();  // d may be read, and the registers of A rewritten
  }

  constexpr layout::Layout kResult = layout::wgmma_m64k16(kRowsB).c;  // (thread, value) -> m + 64 n
#pragma unroll
  for (int value = 0; value < kRowsB / 2; ++value) {
    float& result = job.d[layout::at<kResult>(static_cast<int>(threadIdx.x), value)];
    if constexpr (kHalves) {
      const auto bits = static_cast<std::uint16_t>(d[value / 2] >> value % 2 * 16);
      result = gpu::to_float(std::bit_cast<fp16>(bits));
    } else {
      result = d[value];
    }
  }
}

}  // namespace wgmma_lab

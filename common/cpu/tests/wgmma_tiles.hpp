#pragma once
// Small tiles for wgmma, and a block that fills them.

#include <core/numeric.hpp>
#include <gpu/convert.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

namespace tiles {

using core::bf16;

// Stages of A (64, 16) and B (8, 16), K-major, 32-byte swizzle.
constexpr int kStages = 4;
struct Shared {
  alignas(1024) bf16 a[kStages][64 * 16];
  alignas(1024) bf16 b[kStages][8 * 16];
  gpu::Mbarrier full;
};

__device__ inline Shared& shared() {
  return gpu::static_smem<Shared>();
}

__device__ inline core::MatrixDescriptor descriptor(const bf16* tile) {
  return gpu::matrix_descriptor(tile, core::SwizzleMode::k32B, 16, 256);
}

// The block fills all stages: A with ones, B of stage s with s + 1. Fenced, and known to all.
__device__ inline void fill() {
  Shared& smem = shared();
  for (int stage = 0; stage < kStages; ++stage) {
    for (unsigned i = threadIdx.x; i < 64 * 16 / 8 + 8 * 16 / 8; i += blockDim.x) {
      core::AlignedVector<bf16, 8> values = {};
      const bool in_a = i < 128;
      for (int j = 0; j < 8; ++j) {
        values.set(j, gpu::from_float<bf16>(in_a ? 1.0f : static_cast<float>(stage + 1)));
      }
      gpu::store_shared(in_a ? smem.a[stage] + 8 * i : smem.b[stage] + 8 * (i - 128), values);
    }
  }
  gpu::fence_proxy_async_shared();
  __syncthreads();
}

__device__ inline void multiply(float (&acc)[4], int stage) {
  gpu::wgmma<bf16>(acc, descriptor(shared().a[stage]), descriptor(shared().b[stage]));
}

__device__ inline void check(const float (&acc)[4], float expected, int* wrong) {
  for (const float value : acc) *wrong += value != expected ? 1 : 0;
}

}  // namespace tiles

#pragma once
// One warpgroup, A in registers: D (64 x 64) = A (64, K) B^T, B (64, K) brought by TMA, one stage
// of 16 columns after the other. `bug` plants one.

#include "runners.hpp"

#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

namespace gallery {

inline constexpr int kSlices = 4;  // of 16 columns

template <class T>
struct RegisterShared {
  alignas(1024) T b[kSlices][64 * 16];  // (64, 16) K-major, 32-byte swizzle
  gpu::Mbarrier full;
};

// One block of 128. A (64, 64) packed; map of B (64, 64), box 64 x 16, 32-byte swizzle; D (64, 64)
// fp32 packed.
template <Bug bug, class T>
__global__ void __launch_bounds__(128)
    register_a_kernel(const T* a, const __grid_constant__ gpu::TensorMap map_b, float* d) {
  auto& smem = gpu::dynamic_smem<RegisterShared<T>>();
  if (threadIdx.x == 0) {
    smem.full.init(1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    smem.full.arrive_and_expect(sizeof smem.b);
    for (int i = 0; i < kSlices; ++i) gpu::tma_load(smem.b[i], map_b, {16 * i, 0}, smem.full);
  }
  smem.full.wait(0);

  const int warp = static_cast<int>(threadIdx.x / 32), lane = gpu::lane_index();
  const int row = 16 * warp + lane / 4, column = lane % 4 * 2;
  float acc[32] = {};
  std::uint32_t fragment[4];
  for (int i = 0; i < kSlices; ++i) {
    for (int r = 0; r < 4; ++r) {
      const T* from = a + (row + r % 2 * 8) * 64 + 16 * i + column + r / 2 * 8;
      fragment[r] = gpu::load_global<2>(from).words[0];
    }
    if (bug != Bug::kRegistersUnfenced || i == 0) gpu::wgmma_fence();
    gpu::wgmma<T>(acc, fragment,
                  gpu::matrix_descriptor(smem.b[i], core::SwizzleMode::k32B, 16, 256));
    gpu::wgmma_commit();
    if constexpr (bug != Bug::kRegistersRewritten) gpu::wgmma_wait<0>();
  }
  gpu::wgmma_wait<0>();
  for (int r = 0; r < 32; ++r) {
    d[(row + r / 2 % 2 * 8) * 64 + r / 4 * 8 + column + r % 2] = acc[r];
  }
}

}  // namespace gallery

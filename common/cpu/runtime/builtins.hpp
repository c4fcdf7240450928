#pragma once
// What CUDA supplies without an include: the specifiers, dim3, threadIdx and its kin,
// __syncthreads().

#include <runtime/site.hpp>

#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
// One object per OS thread would be wrong as soon as two blocks of a cluster run side by side.
#define __shared__ \
  static_assert(   \
      false,       \
      "__shared__ is not available here: use gpu::static_smem<T>() or gpu::dynamic_smem<T>()");

struct uint3 {
  unsigned x = 0, y = 0, z = 0;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Set by the scheduler before a thread goes on. Threads of one OS thread share them.
inline constinit thread_local uint3 threadIdx = {};
inline constinit thread_local uint3 blockIdx = {};
inline constinit thread_local dim3 blockDim = {};
inline constinit thread_local dim3 gridDim = {};

namespace runtime {
void sync_block(Site where);
}
namespace gpu {
using runtime::Site;  // where a word stands, its last parameter
}

// PTX barrier.cta.sync 0. As on hardware since compute capability 7.0, it holds every thread of the
// block that has not exited. Warps may stand at different source lines (hardware counts arrivals at
// barrier 0 wherever they come from); lanes of one warp may not (the instruction is .aligned).
inline void __syncthreads(runtime::Site where = runtime::Site::current()) {
  runtime::sync_block(where);
}

#pragma once
// Electing a lane, barriers among some warps of a block, and the fences between ordinary memory
// accesses and those of the asynchronous units (the "async proxy": TMA and wgmma).

namespace gpu {

// PTX elect.sync with a full mask (compute capability 9.0): true in exactly one lane of the calling
// warp, always the same one. All 32 lanes must call; a lane that stays away hangs the warp. Unlike
// lane_index() == 0 it tells the compiler that one thread alone goes on.
__device__ inline bool elect_one() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

// PTX bar.sync: waits until `threads` threads have come to named barrier `id`, by barrier_sync() or
// barrier_arrive(), and orders their memory accesses. `id` is 0..15, of which 0 is also what
// __syncthreads() uses; `threads` is a multiple of 32 and the same in every call of one round.
// Whole warps call. With a count that is never reached the block hangs.
__device__ inline void barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// PTX bar.arrive: counts as having come to the barrier, and goes on without waiting. Whole warps
// call. A warp must not arrive a second time before the round is over: the count would be reached
// too early.
__device__ inline void barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// PTX fence.proxy.async (compute capability 9.0): what this thread wrote or read by ordinary
// accesses, in any memory, comes before what TMA and wgmma do after it. Every thread that wrote
// calls it, then a barrier, then one thread starts the copy; without it the copy may read old data.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}

// PTX fence.proxy.async.shared::cta: the same for this block's shared memory alone, which is all
// that a TMA store or wgmma of a tile written by the block's threads needs.
__device__ inline void fence_proxy_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace gpu

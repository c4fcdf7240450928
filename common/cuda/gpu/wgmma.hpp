#pragma once
// The tensor cores of a warpgroup (PTX wgmma, compute capability 9.0a): 64 x N x 16 products, run
// asynchronously, with B and usually A read from shared memory.
//
// All 128 threads of a warpgroup (four warps, the first a multiple of 4) must call each of these
// intrinsics at the same place with the same arguments, or behaviour is undefined. The order is
//   wgmma_fence();      the accumulators are as the threads left them
//   wgmma(...); ...     any number, along K and for several accumulators
//   wgmma_commit();     they are one group
//   wgmma_wait<0>();    now the accumulators may be read, and the operands' memory reused
// Between wgmma and its wait nobody may touch the accumulators or registers of A. Where the
// compiler cannot prove that, it serialises the instructions and warns (C7510 and the like).

#include <gpu/address.hpp>
#include <gpu/wgmma_instructions.hpp>

#include <core/modes.hpp>
#include <core/numeric.hpp>

#include <concepts>
#include <cstdint>

namespace gpu {

// The direction in which an operand's tile is contiguous: along K, or along M (N for B).
using core::Major;

// What wgmma needs to know of a tile in shared memory. The tile starts where its swizzle's pattern
// does (256, 512, 1024 bytes; 16 without), or inside the first row of the pattern, 32 bytes further
// for each 16 columns of a K-major tile. `leading_bytes` and `stride_bytes` are multiples of 16;
// what they step over depends on major and swizzle (<layout/wgmma_smem.hpp>). One thread, for
// itself.
__device__ inline core::MatrixDescriptor matrix_descriptor(const void* smem,
                                                           core::SwizzleMode swizzle,
                                                           int leading_bytes, int stride_bytes) {
  return core::encode({.address = detail::shared_address(smem) & 0x3ffff,
                       .leading_bytes = leading_bytes,
                       .stride_bytes = stride_bytes,
                       .swizzle = swizzle});
}

// PTX wgmma.mma_async.sync.aligned.m64nNk16: D (64 x N) = (kSignA * A) (64 x 16) * (kSignB * B)
// (16 x N), plus the old D where `accumulate`. N is 8, 16, ..., 256. B is given as (N, K): kMajorB
// == kK for rows that are contiguous along K.
// Thread t of the warpgroup holds, for j = 0 .. N / 8 - 1, of row r = t / 32 * 16 + t % 32 / 4 and
// column c = 8 * j + 2 * (t % 4):
//   float accumulators    d[4j], d[4j + 1] (r, c..)   d[4j + 2], d[4j + 3] (r + 8, c..)
//   two fp16 in a std::uint32_t, the lower column in the low half, of fp16 operands
//                         d[2j] (r, c..)              d[2j + 1] (r + 8, c..)
// A is a MatrixDescriptor, or four registers, distributed over each warp's 16 rows as in
// mma_m16n8k16(), which may be rewritten only after the wait.
// Operands written by ordinary stores need fence_proxy_async_shared() and a barrier before.
template <core::SmallFloat T, Major kMajorA = Major::kK, Major kMajorB = Major::kK, int kSignA = 1,
          int kSignB = 1, class D, int kRegisters, class A>
__device__ void wgmma(D (&d)[kRegisters], const A& a, core::MatrixDescriptor b,
                      bool accumulate = true) {
  constexpr int N = (std::same_as<D, float> ? 2 : 4) * kRegisters;
  static_assert(std::same_as<D, float> || !std::same_as<T, core::bf16>, "no wgmma of these types");
  static_assert(N >= 8 && N <= 256 && N % 8 == 0, "no wgmma of this width");
  static_assert(kSignA * kSignA == 1 && kSignB * kSignB == 1, "signs are 1 and -1");
  constexpr bool kTransB = kMajorB == Major::kMn;
  if constexpr (std::same_as<A, core::MatrixDescriptor>) {
    constexpr bool kTransA = kMajorA == Major::kMn;
    detail::wgmma_instruction<T, T, kSignA, kSignB, kTransA, kTransB>(d, a.bits, b.bits,
                                                                      accumulate);
  } else {
    static_assert(kMajorA == Major::kK, "A in registers has no major");
    detail::wgmma_instruction<T, T, kSignA, kSignB, false, kTransB>(d, a, b.bits, accumulate);
  }
}

// PTX wgmma.fence.sync.aligned: orders the threads' accesses to accumulators and registers of A
// before the wgmmas that follow. Needed before the first wgmma and whenever such registers were
// touched since; not between wgmmas of one shape into the same accumulators.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// PTX wgmma.commit_group.sync.aligned: the wgmmas since the last commit become one group.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// PTX wgmma.wait_group.sync.aligned: waits until at most the kPending (0..7) most recent groups are
// still running. Before it, accumulators hold anything.
template <int kPending>
__device__ void wgmma_wait() {
  static_assert(kPending >= 0 && kPending <= 7, "wgmma.wait_group takes 0 to 7");
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

}  // namespace gpu

#pragma once
// Global memory beyond plain loads and stores: cache hints, atomics, and semaphores between blocks.
// Vector accesses are as in <gpu/memory.hpp>: one access, its address a multiple of its size.

#include <core/numeric.hpp>

#include <bit>
#include <concepts>
#include <type_traits>

namespace gpu {

namespace detail {

// What the intrinsics move kBytes in.
template <int kBytes>
using Raw = std::conditional_t<
    kBytes == 16, uint4,
    std::conditional_t<kBytes == 8, uint2,
                       std::conditional_t<kBytes == 4, unsigned, unsigned short>>>;

}  // namespace detail

// PTX st.global.cs: will not be read again soon, so the L2 evicts it first and keeps A and B.
template <class T, int N>
__device__ void store_global_streaming(T* address, const core::AlignedVector<T, N>& value) {
  using Raw = detail::Raw<sizeof(value)>;
  static_assert(sizeof(Raw) == sizeof(value), "2, 4, 8 or 16 bytes");
  __stcs(reinterpret_cast<Raw*>(address), std::bit_cast<Raw>(value));
}

// PTX st.global.wt: written through the L2 to memory.
template <class T, int N>
__device__ void store_global_write_through(T* address, const core::AlignedVector<T, N>& value) {
  using Raw = detail::Raw<sizeof(value)>;
  static_assert(sizeof(Raw) == sizeof(value), "2, 4, 8 or 16 bytes");
  __stwt(reinterpret_cast<Raw*>(address), std::bit_cast<Raw>(value));
}

// PTX atom.global.add (relaxed, device scope): adds and returns the old value, in one step among
// all threads of the device. It orders no other access. Floats are summed in whatever order the
// threads come.
template <class T>
__device__ T atomic_add(T* address, T value) {
  static_assert(std::same_as<T, int> || std::same_as<T, unsigned> || std::same_as<T, float>,
                "int, unsigned or float");
  return atomicAdd(address, value);
}

// PTX red.global.inc.u32 (relaxed, device scope): adds 1, or sets 0 where *address is `last`
// or more.
__device__ inline void atomic_inc(unsigned* address, unsigned last) {
  atomicInc(address, last);
}

// PTX ld.relaxed.gpu.u32: what the L2 has, as atomics leave it. It orders no other access.
__device__ inline unsigned load_relaxed(const unsigned* address) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

// PTX ld.acquire.gpu, repeated until *semaphore equals `value`. One thread of the block calls; with
// a block barrier after it, all of the block see what came before the matching release. The block
// that releases must be running or have run, or this waits for ever.
__device__ inline void semaphore_wait(const int* semaphore, int value) {
  int seen;
  do {
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(semaphore) : "memory");
  } while (seen != value);
}

// PTX st.release.gpu: sets *semaphore, after everything that came before. One thread calls, after a
// block barrier, so that "everything" covers the whole block.
__device__ inline void semaphore_release(int* semaphore, int value) {
  asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(semaphore), "r"(value) : "memory");
}

// PTX atom.acq_rel.gpu.add.s32: adds, returns the old value, and orders like a release followed by
// an acquire: the last block to add sees what all others wrote. One thread calls, between two block
// barriers.
__device__ inline int semaphore_add(int* semaphore, int value) {
  int old;
  asm volatile("atom.acq_rel.gpu.add.s32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(semaphore), "r"(value)
               : "memory");
  return old;
}

}  // namespace gpu

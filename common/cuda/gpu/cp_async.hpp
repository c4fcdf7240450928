#pragma once
// Copies from global to shared memory that bypass registers and complete later (PTX cp.async,
// compute capability 8.0). Each thread copies for itself, gathers its copies into groups and waits
// for its own groups; others see the data only after a barrier that follows the wait. Both
// addresses are multiples of the copy's size; the hardware faults otherwise.

#include <gpu/address.hpp>

namespace gpu {

// PTX cp.async with the src-size operand: copies the first `valid_bytes` (0..kBytes) and fills the
// rest with zeros. Nothing is read beyond `valid_bytes`; with 0 the address need not be valid.
// kBytes is 4, 8 (.ca: through L1) or 16 (.cg: L2 only).
template <int kBytes>
__device__ void cp_async_zfill(void* smem, const void* global, int valid_bytes) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async copies 4, 8 or 16 bytes");
  if constexpr (kBytes == 16) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(detail::shared_address(smem)),
        "l"(detail::global_address(global)), "r"(valid_bytes)
        : "memory");
  } else {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(detail::shared_address(smem)),
        "l"(detail::global_address(global)), "n"(kBytes), "r"(valid_bytes)
        : "memory");
  }
}

// The same under a predicate: kBytes of zeros and no access to global memory where `valid` is
// false.
template <int kBytes>
__device__ void cp_async_if(bool valid, void* smem, const void* global) {
  cp_async_zfill<kBytes>(smem, global, valid ? kBytes : 0);
}

// PTX cp.async.ca (4, 8 bytes) and cp.async.cg (16 bytes), unconditionally.
template <int kBytes>
__device__ void cp_async(void* smem, const void* global) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async copies 4, 8 or 16 bytes");
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(detail::shared_address(smem)),
                 "l"(detail::global_address(global))
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(detail::shared_address(smem)),
                 "l"(detail::global_address(global)), "n"(kBytes)
                 : "memory");
  }
}

// PTX cp.async.commit_group: this thread's copies since its last commit become one group, possibly
// an empty one.
__device__ inline void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// PTX cp.async.wait_group: waits until at most the kPending most recent of this thread's groups are
// still under way. Copies not yet committed are not waited for.
template <int kPending>
__device__ void cp_async_wait() {
  static_assert(kPending >= 0);
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// PTX cp.async.wait_all: waits for all copies of this thread, committed or not.
__device__ inline void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace gpu

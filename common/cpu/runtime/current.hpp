#pragma once
// What the intrinsics need to know of the thread on whose behalf they run, and the checks of
// addresses.

#include <runtime/block.hpp>
#include <runtime/memory.hpp>

#include <cstddef>
#include <cstdint>

namespace runtime {

class Gang;

struct Current {
  Thread* thread = nullptr;  // null outside kernels
  Block* block = nullptr;
  Gang* gang = nullptr;
  MemoryView memory;
  std::uint64_t fmas = 0;  // of the running gang; traced kernels count them
};
inline constinit thread_local Current current;

// kCopy: by cp.async, which reads global and writes shared memory.
enum class Access : std::uint8_t { kLoad, kStore, kCopy, kArrive };

// The slow half of the checks below: finds the allocation, or throws core::DeviceError.
void check_global_slowly(std::uintptr_t address, std::size_t bytes, Access access, Site where);
[[noreturn]] void refuse_dynamic_size(std::size_t bytes, Site where);
[[noreturn]] void refuse_shared(std::uintptr_t address, std::size_t bytes, Access access,
                                Site where);
[[noreturn]] void refuse_before_prior_grid(Site where);

// An access to global memory by a grid that may begin before the one before it is done: the thread
// must have waited for it.
inline void check_prior_grid(Site where) {
  if (current.thread != nullptr && !current.thread->prior_grid_done) {
    refuse_before_prior_grid(where);
  }
}

// An access of `bytes` (a power of two) by a word: naturally aligned, and wholly within one live
// allocation. Otherwise core::DeviceError, naming the place, the block and the thread.
inline void check_global(const void* pointer, std::size_t bytes, Access access, Site where) {
  check_prior_grid(where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool aligned = (address & (bytes - 1)) == 0;
  if (aligned && current.memory.holds_recently(address, bytes)) return;
  check_global_slowly(address, bytes, access, where);
}

// The same for `bytes` from an address that is aligned to `alignment`.
void check_global_range(const void* pointer, std::size_t alignment, std::size_t bytes, Site where);

// The same for the running block's shared memory.
inline void check_shared(const void* pointer, std::size_t bytes, Access access, Site where) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool aligned = (address & (bytes - 1)) == 0;
  if (aligned && current.block != nullptr && current.block->shared_memory.holds(address, bytes))
    return;
  refuse_shared(address, bytes, access, where);
}

// Tells the shadow of the running block's shared memory about an access that has been checked.
inline void note_shared(const void* pointer, std::uint32_t bytes, Access access, Site where) {
  Thread& thread = *current.thread;
  const auto offset = static_cast<std::uint32_t>(static_cast<const std::byte*>(pointer) -
                                                 thread.warp->block->shared_memory.window());
  if (access == Access::kStore) return note_generic_write(thread, offset, bytes, where);
  if (thread.warp->block->shadow.known()) note_generic_read(thread, offset, bytes, where);
}

// For intrinsics that make no sense outside a kernel: the running thread, or core::DeviceError.
Thread& running_thread(const char* word);

// For intrinsics in traced kernels: the access they are about to make, at the call's own place.
void trace_word(const void* address, std::size_t bytes, Access kind, bool active, Site where);

// One gpu::fma of a traced kernel.
void count_fma();

void untraced_copy(void* to, const void* from, std::size_t bytes);

}  // namespace runtime

#pragma once
// Copies from global to shared memory that bypass registers (PTX cp.async, compute capability 8.0).
// Each thread waits for its own groups; a barrier then tells the others.

#include <runtime/gang.hpp>
#include <runtime/sanitizer.hpp>

namespace gpu {

// `valid_bytes` of kBytes (4, 8 or 16) from `global`, zeros behind them. Both addresses are
// multiples of kBytes.
template <int kBytes>
void cp_async_zfill(void* smem, const void* global, int valid_bytes, Site where = Site::current()) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  if constexpr (runtime::kTraced) {
    runtime::trace_word(global, kBytes, runtime::Access::kCopy, valid_bytes > 0, where);
    runtime::trace_word(smem, kBytes, runtime::Access::kCopy, true, where);
  }
  runtime::running_gang("cp_async")
      .copies()
      .copy(smem, global, kBytes, static_cast<std::uint32_t>(valid_bytes), where);
}

template <int kBytes>
void cp_async(void* smem, const void* global, Site where = Site::current()) {
  cp_async_zfill<kBytes>(smem, global, kBytes, where);
}

// Zeros where `valid` is false; the global address need not be valid then.
template <int kBytes>
void cp_async_if(bool valid, void* smem, const void* global, Site where = Site::current()) {
  cp_async_zfill<kBytes>(smem, global, valid ? kBytes : 0, where);
}

// Makes a group of the copies since the last one. It may be empty.
inline void cp_async_commit(Site = Site::current()) {
  runtime::running_gang("cp_async_commit").copies().commit();
}

// Returns when at most kPending of this thread's latest groups are under way.
template <int kPending>
void cp_async_wait(Site = Site::current()) {
  runtime::running_gang("cp_async_wait").copies().wait(kPending);
}

// All of this thread's copies, in groups or not.
inline void cp_async_wait_all(Site = Site::current()) {
  runtime::running_gang("cp_async_wait_all").copies().wait_all();
}

}  // namespace gpu

#pragma once
// Which sanitizer this translation unit is compiled for, and what AddressSanitizer is told.

#include <cstddef>

#if defined(__has_feature)  // clang
#define RUNTIME_BUILT_FOR(sanitizer) __has_feature(sanitizer)
#else
#define RUNTIME_BUILT_FOR(sanitizer) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || RUNTIME_BUILT_FOR(address_sanitizer)
#define RUNTIME_ADDRESS_SANITIZER 1
#include <sanitizer/asan_interface.h>
#endif

namespace runtime {

// Memory that nobody may touch, and that somebody may again; without AddressSanitizer, nothing.
#if defined(RUNTIME_ADDRESS_SANITIZER)
inline constexpr bool kAddressSanitizer = true;
inline void forbid(void* memory, std::size_t bytes) {
  ASAN_POISON_MEMORY_REGION(memory, bytes);
}
inline void allow(void* memory, std::size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}
#else
inline constexpr bool kAddressSanitizer = false;
inline void forbid(void*, std::size_t) {}
inline void allow(void*, std::size_t) {}
#endif

// True in kernels compiled with -fsanitize=thread, which here means: for the counters.
#if defined(__SANITIZE_THREAD__) || RUNTIME_BUILT_FOR(thread_sanitizer)
inline constexpr bool kTraced = true;
#else
inline constexpr bool kTraced = false;
#endif

}  // namespace runtime

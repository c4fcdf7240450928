#pragma once
// Which sanitizer this translation unit is compiled for.

namespace runtime {

#if defined(__SANITIZE_ADDRESS__)
#define RUNTIME_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RUNTIME_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define RUNTIME_TRACED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RUNTIME_TRACED 1
#endif
#endif

#if defined(RUNTIME_ADDRESS_SANITIZER)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

// True in kernels compiled with -fsanitize=thread, which here means: for the counters.
#if defined(RUNTIME_TRACED)
inline constexpr bool kTraced = true;
#else
inline constexpr bool kTraced = false;
#endif

}  // namespace runtime

// What code compiled with -fsanitize=thread calls before every load and store: hands kernels'
// accesses to the tracer. Atomic operations are carried out here: the compiler leaves them to us.

#include <runtime/gang.hpp>
#include <runtime/tracer.hpp>

#include <atomic>
#include <cstring>

// What makes a program a traced one. Instrumented code refers to the hooks below, which is why the
// linker takes this file out of its archive.
const bool installed = runtime::traced = true;

static void see(const void* address, std::size_t bytes, runtime::Access kind, const void* pc) {
  using namespace runtime;
  if (current.thread == nullptr) return;  // host code of the same file
  current.gang->trace()->access(reinterpret_cast<std::uintptr_t>(pc),
                                reinterpret_cast<std::uintptr_t>(address), bytes, kind, true);
}

#define HOOK extern "C" [[gnu::visibility("default")]]

#define SEES(name, bytes, kind)                                              \
  HOOK void name(void* address) {                                            \
    see(address, bytes, runtime::Access::kind, __builtin_return_address(0)); \
  }
#define ACCESS_HOOKS(bytes)                        \
  SEES(__tsan_read##bytes, bytes, kLoad)           \
  SEES(__tsan_write##bytes, bytes, kStore)         \
  SEES(__tsan_unaligned_read##bytes, bytes, kLoad) \
  SEES(__tsan_unaligned_write##bytes, bytes, kStore)

ACCESS_HOOKS(1)
ACCESS_HOOKS(2)
ACCESS_HOOKS(4)
ACCESS_HOOKS(8)
ACCESS_HOOKS(16)

HOOK void __tsan_init() {}
HOOK void __tsan_func_entry(void*) {}
HOOK void __tsan_func_exit() {}
HOOK void __tsan_vptr_read(void**) {}
HOOK void __tsan_vptr_update(void**, void*) {}
// Whole objects, of any size: only the host's code and threads' own data come as such.
HOOK void __tsan_read_range(void*, std::size_t) {}
HOOK void __tsan_write_range(void*, std::size_t) {}
HOOK void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  return std::memcpy(to, from, n);
}
HOOK void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  return std::memmove(to, from, n);
}
HOOK void* __tsan_memset(void* to, int byte, std::size_t n) {
  return std::memset(to, byte, n);
}

HOOK void __tsan_atomic_thread_fence(int) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
HOOK void __tsan_atomic_signal_fence(int) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Every order is served as the strongest one.
#define FETCH_HOOK(bits, type, name, builtin)                                 \
  HOOK type __tsan_atomic##bits##_##name(volatile type* a, type value, int) { \
    return builtin(a, value, __ATOMIC_SEQ_CST);                               \
  }
#define COMPARE_HOOK(bits, type, name)                                                     \
  HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile type* a, type* expected, \
                                                         type value, int, int) {           \
    return __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST,        \
                                       __ATOMIC_SEQ_CST);                                  \
  }
#define ATOMIC_HOOKS(bits, type)                                                                 \
  HOOK type __tsan_atomic##bits##_load(const volatile type* a, int) {                            \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                              \
  HOOK void __tsan_atomic##bits##_store(volatile type* a, type value, int) {                     \
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                              \
  FETCH_HOOK(bits, type, exchange, __atomic_exchange_n)                                          \
  FETCH_HOOK(bits, type, fetch_add, __atomic_fetch_add)                                          \
  FETCH_HOOK(bits, type, fetch_sub, __atomic_fetch_sub)                                          \
  FETCH_HOOK(bits, type, fetch_and, __atomic_fetch_and)                                          \
  FETCH_HOOK(bits, type, fetch_or, __atomic_fetch_or)                                            \
  FETCH_HOOK(bits, type, fetch_xor, __atomic_fetch_xor)                                          \
  FETCH_HOOK(bits, type, fetch_nand, __atomic_fetch_nand)                                        \
  COMPARE_HOOK(bits, type, strong)                                                               \
  COMPARE_HOOK(bits, type, weak)                                                                 \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type* a, type expected,          \
                                                       type value, int, int) {                   \
    __atomic_compare_exchange_n(a, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                             \
  }

ATOMIC_HOOKS(8, unsigned char)
ATOMIC_HOOKS(16, unsigned short)
ATOMIC_HOOKS(32, unsigned int)
ATOMIC_HOOKS(64, unsigned long)

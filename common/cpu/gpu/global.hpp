#pragma once
// Stores to global memory with a cache hint, atomics, and semaphores between blocks.

#include <gpu/memory.hpp>

#include <runtime/gang.hpp>

#include <atomic>
#include <concepts>

namespace gpu {

// PTX st.global.cs: the lines will not be needed again soon.
template <class T, int N>
void store_global_streaming(T* address, const core::AlignedVector<T, N>& value,
                            Site where = Site::current()) {
  store_global(address, value, where);
}

// PTX st.global.wt: written through the L2.
template <class T, int N>
void store_global_write_through(T* address, const core::AlignedVector<T, N>& value,
                                Site where = Site::current()) {
  store_global(address, value, where);
}

// Adds and returns the old value, without ordering anything else.
template <class T>
T atomic_add(T* address, T value, Site where = Site::current()) {
  static_assert(std::same_as<T, int> || std::same_as<T, unsigned> || std::same_as<T, float>);
  runtime::check_global(address, sizeof(T), runtime::Access::kStore, where);
  return std::atomic_ref(*address).fetch_add(value, std::memory_order_relaxed);
}

// Adds 1, or sets 0 where *address is `last` or more.
inline void atomic_inc(unsigned* address, unsigned last, Site where = Site::current()) {
  runtime::check_global(address, sizeof(unsigned), runtime::Access::kStore, where);
  const auto counter = std::atomic_ref(*address);
  unsigned old = counter.load(std::memory_order_relaxed);
  while (!counter.compare_exchange_weak(old, old >= last ? 0 : old + 1)) continue;
}

// What atomics have left there.
inline unsigned load_relaxed(const unsigned* address, Site where = Site::current()) {
  runtime::check_global(address, sizeof(unsigned), runtime::Access::kLoad, where);
  return std::atomic_ref(const_cast<unsigned&>(*address)).load(std::memory_order_relaxed);
}

// One thread waits until the semaphore holds `value`; a barrier then tells the block. What was
// written before the semaphore_release() or semaphore_add() that set it is visible afterwards.
inline void semaphore_wait(const int* semaphore, int value, Site where = Site::current()) {
  runtime::Thread& thread = runtime::running_thread("semaphore_wait");
  runtime::check_global(semaphore, sizeof(int), runtime::Access::kLoad, where);
  runtime::current.gang->semaphores().wait(thread, semaphore, value, where);
}

// One thread, behind a barrier of the block whose writes it publishes.
inline void semaphore_release(int* semaphore, int value, Site where = Site::current()) {
  runtime::check_global(semaphore, sizeof(int), runtime::Access::kStore, where);
  std::atomic_ref(*semaphore).store(value, std::memory_order_release);
}

// Adds, announcing what was written before; returns the old value.
inline int semaphore_add(int* semaphore, int value, Site where = Site::current()) {
  runtime::check_global(semaphore, sizeof(int), runtime::Access::kStore, where);
  return std::atomic_ref(*semaphore).fetch_add(value, std::memory_order_acq_rel);
}

}  // namespace gpu

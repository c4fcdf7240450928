#pragma once
// Loads and stores of several elements at once. N elements of T travel as one access of N *
// sizeof(T) bytes, 16 at most. The address must be a multiple of that and the bytes must lie within
// one allocation (within the block's shared memory): core::DeviceError names the line otherwise.

#include <runtime/current.hpp>
#include <runtime/sanitizer.hpp>

#include <core/numeric.hpp>

#include <cstring>

namespace gpu {

namespace detail {

enum class Space { kGlobal, kShared };

// Checks one access and, in a traced kernel, counts it: once, at its full width.
template <Space space, int kBytes>
void check(const void* address, runtime::Access access, Site where) {
  static_assert(kBytes == 2 || kBytes == 4 || kBytes == 8 || kBytes == 16, "2, 4, 8 or 16 bytes");
  if constexpr (space == Space::kGlobal) {
    runtime::check_global(address, kBytes, access, where);
  } else {
    runtime::check_shared(address, kBytes, access, where);
    runtime::note_shared(*runtime::current.thread, address, kBytes, access, where);
  }
  if constexpr (runtime::kTraced) runtime::trace_word(address, kBytes, access, true, where);
}

// The copy itself. In a traced kernel the library makes it, where it is not seen a second time.
inline void copy(void* to, const void* from, std::size_t bytes) {
  if constexpr (runtime::kTraced) {
    runtime::untraced_copy(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

template <Space space, int N, class T>
core::AlignedVector<T, N> load(const T* address, Site where) {
  core::AlignedVector<T, N> out;
  check<space, sizeof(out)>(address, runtime::Access::kLoad, where);
  copy(&out, address, sizeof(out));
  return out;
}

template <Space space, class T, int N>
void store(T* address, const core::AlignedVector<T, N>& value, Site where) {
  check<space, sizeof(value)>(address, runtime::Access::kStore, where);
  copy(address, &value, sizeof(value));
}

}  // namespace detail

// PTX ld.global.nc (read-only for the life of the kernel: A and B, never C).
template <int N, class T>
core::AlignedVector<T, N> load_global(const T* address, Site where = Site::current()) {
  return detail::load<detail::Space::kGlobal, N>(address, where);
}

// PTX ld.global, for memory that this kernel also writes: C.
template <int N, class T>
core::AlignedVector<T, N> load_global_mutable(const T* address, Site where = Site::current()) {
  return detail::load<detail::Space::kGlobal, N>(address, where);
}

// load_global under a predicate: no access at all where `valid` is false, zeros instead. The
// address need not be valid then.
template <int N, class T>
core::AlignedVector<T, N> load_global_if(bool valid, const T* address,
                                         Site where = Site::current()) {
  if (valid) return detail::load<detail::Space::kGlobal, N>(address, where);
  if constexpr (runtime::kTraced) {
    runtime::trace_word(address, N * sizeof(T), runtime::Access::kLoad, false, where);
  }
  return core::AlignedVector<T, N>{};
}

// PTX st.global.
template <class T, int N>
void store_global(T* address, const core::AlignedVector<T, N>& value,
                  Site where = Site::current()) {
  detail::store<detail::Space::kGlobal>(address, value, where);
}

// PTX ld.shared / st.shared.
template <int N, class T>
core::AlignedVector<T, N> load_shared(const T* address, Site where = Site::current()) {
  return detail::load<detail::Space::kShared, N>(address, where);
}

template <class T, int N>
void store_shared(T* address, const core::AlignedVector<T, N>& value,
                  Site where = Site::current()) {
  detail::store<detail::Space::kShared>(address, value, where);
}

}  // namespace gpu

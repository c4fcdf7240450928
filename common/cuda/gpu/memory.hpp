#pragma once
// Loads and stores of several elements at once. N elements of T travel as one access of N *
// sizeof(T) bytes, 16 at most, and the address must be a multiple of that: the hardware faults
// otherwise, the CPU backend names the line.

#include <core/numeric.hpp>

#include <bit>
#include <type_traits>

namespace gpu {

// PTX ld.global.nc (read-only for the life of the kernel: A and B, never C).
template <int N, class T>
__device__ core::AlignedVector<T, N> load_global(const T* address) {
  using Vector = core::AlignedVector<T, N>;
  constexpr int kBytes = sizeof(Vector);
  static_assert(kBytes == 2 || kBytes == 4 || kBytes == 8 || kBytes == 16);
  using Raw = std::conditional_t<
      kBytes == 16, uint4,
      std::conditional_t<kBytes == 8, uint2,
                         std::conditional_t<kBytes == 4, unsigned, unsigned short>>>;
  return std::bit_cast<Vector>(__ldg(reinterpret_cast<const Raw*>(address)));
}

// PTX ld.global, for memory that this kernel also writes: C.
template <int N, class T>
__device__ core::AlignedVector<T, N> load_global_mutable(const T* address) {
  return *reinterpret_cast<const core::AlignedVector<T, N>*>(address);
}

// load_global under a predicate: no access at all where `valid` is false, zeros instead. The
// address need not be valid then.
template <int N, class T>
__device__ core::AlignedVector<T, N> load_global_if(bool valid, const T* address) {
  if (valid) return load_global<N>(address);
  return core::AlignedVector<T, N>{};
}

// PTX st.global.
template <class T, int N>
__device__ void store_global(T* address, const core::AlignedVector<T, N>& value) {
  *reinterpret_cast<core::AlignedVector<T, N>*>(address) = value;
}

// PTX ld.shared / st.shared.
template <int N, class T>
__device__ core::AlignedVector<T, N> load_shared(const T* address) {
  return *reinterpret_cast<const core::AlignedVector<T, N>*>(address);
}

template <class T, int N>
__device__ void store_shared(T* address, const core::AlignedVector<T, N>& value) {
  *reinterpret_cast<core::AlignedVector<T, N>*>(address) = value;
}

}  // namespace gpu

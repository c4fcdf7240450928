#pragma once
// Shared memory as one typed object per block.

namespace gpu {

// At most 48 KB, its size known to the compiler. T must be trivial; its contents are undefined
// until written (the CPU backend fills it with NaN). Every call with the same T in a kernel names
// the same object.
template <class T>
__device__ T& static_smem() {
  __shared__ T storage;
  return storage;
}

// The whole of LaunchShape::dynamic_smem seen as one T, aligned to 1024 bytes at most (the 128-byte
// swizzle's atom), as T's own alignment demands. sizeof(T) must not exceed what was launched with.
template <class T>
__device__ T& dynamic_smem() {
  static_assert(alignof(T) <= 1024, "dynamic shared memory is aligned to 1024 bytes");
  extern __shared__ __align__(1024) unsigned char storage[];
  return *reinterpret_cast<T*>(storage);
}

}  // namespace gpu

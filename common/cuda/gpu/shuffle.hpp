#pragma once
// Exchange of registers between the lanes of a warp (PTX shfl.sync). All 32 lanes must call, each
// at the same place; T is 4 bytes.

namespace gpu {

// The value held by `source_lane`.
template <class T>
__device__ T shuffle(T value, int source_lane) {
  static_assert(sizeof(T) == 4);
  return __shfl_sync(0xffffffffu, value, source_lane);
}

// The value held by the lane whose number differs from mine in the bits of `mask`.
template <class T>
__device__ T shuffle_xor(T value, int mask) {
  static_assert(sizeof(T) == 4);
  return __shfl_xor_sync(0xffffffffu, value, mask);
}

// The value held `delta` lanes above mine; my own where there is no such lane.
template <class T>
__device__ T shuffle_down(T value, int delta) {
  static_assert(sizeof(T) == 4);
  return __shfl_down_sync(0xffffffffu, value, delta);
}

// The value held `delta` lanes below mine; my own where there is no such lane.
template <class T>
__device__ T shuffle_up(T value, int delta) {
  static_assert(sizeof(T) == 4);
  return __shfl_up_sync(0xffffffffu, value, delta);
}

}  // namespace gpu

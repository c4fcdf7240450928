#pragma once
// Conversion between float and the 16-bit types in device code, by the hardware's instructions.
// Narrowing rounds to nearest even (PTX cvt.rn); widening is exact.

#include <core/numeric.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace gpu {

__device__ inline float to_float(core::bf16 value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}
__device__ inline float to_float(core::fp16 value) {
  return __half2float(__ushort_as_half(value.bits));
}

template <core::SmallFloat T>
__device__ T from_float(float value) {
  if constexpr (std::same_as<T, core::bf16>) {
    return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
  } else {
    return {__half_as_ushort(__float2half_rn(value))};
  }
}

// Two at once (PTX cvt.rn.bf16x2.f32 and cvt.rn.f16x2.f32).
template <core::SmallFloat T>
__device__ core::AlignedVector<T, 2> from_float(float low, float high) {
  core::AlignedVector<T, 2> out;
  if constexpr (std::same_as<T, core::bf16>) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    out = *reinterpret_cast<const core::AlignedVector<T, 2>*>(&pair);
  } else {
    const __half2 pair = __floats2half2_rn(low, high);
    out = *reinterpret_cast<const core::AlignedVector<T, 2>*>(&pair);
  }
  return out;
}
// The same, negative values as 0 (PTX cvt.rn.relu).
template <core::SmallFloat T>
__device__ core::AlignedVector<T, 2> from_float_relu(float low, float high) {
  core::AlignedVector<T, 2> out;
  if constexpr (std::same_as<T, core::bf16>) {
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(out.words[0]) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(out.words[0]) : "f"(high), "f"(low));
  }
  return out;
}

}  // namespace gpu

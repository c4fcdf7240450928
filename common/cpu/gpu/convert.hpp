#pragma once
// Conversion between float and the 16-bit types in kernels. Narrowing rounds to nearest even, as
// PTX cvt.rn does.

#include <runtime/builtins.hpp>

#include <core/aligned_vector.hpp>
#include <core/numeric.hpp>

namespace gpu {

inline float to_float(core::bf16 value) {
  return core::to_float(value);
}
inline float to_float(core::fp16 value) {
  return core::to_float(value);
}

template <core::SmallFloat T>
T from_float(float value) {
  return core::from_float<T>(value);
}

// Two at once.
template <core::SmallFloat T>
core::AlignedVector<T, 2> from_float(float low, float high) {
  core::AlignedVector<T, 2> out = {};
  out.set(0, core::from_float<T>(low));
  out.set(1, core::from_float<T>(high));
  return out;
}

}  // namespace gpu

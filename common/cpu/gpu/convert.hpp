#pragma once
// Conversion between float and the 16-bit types in kernels. Narrowing rounds to nearest even, as
// PTX cvt.rn does.

#include <runtime/builtins.hpp>
#include <runtime/wgmma.hpp>

#include <core/numeric.hpp>

#include <bit>
#include <cstdint>

namespace gpu {

inline float to_float(core::bf16 value) {
  return core::to_float(value);
}
inline float to_float(core::fp16 value) {
  return core::to_float(value);
}

// Notices an accumulator that is converted while a wgmma still writes it: core::DeviceError. Always
// inlined, since a traced build does not see the store of what a call returns.
template <core::SmallFloat T>
__forceinline__ T from_float(float value, Site where = Site::current()) {
  if (std::bit_cast<std::uint32_t>(value) == runtime::kInFlight) {
    runtime::refuse_in_flight("from_float", where);
  }
  return core::from_float<T>(value);
}

// Two at once.
template <core::SmallFloat T>
core::AlignedVector<T, 2> from_float(float low, float high, Site where = Site::current()) {
  core::AlignedVector<T, 2> out = {};
  out.set(0, from_float<T>(low, where));
  out.set(1, from_float<T>(high, where));
  return out;
}
// The same, negative values as 0.
template <core::SmallFloat T>
core::AlignedVector<T, 2> from_float_relu(float low, float high, Site where = Site::current()) {
  return from_float<T>(low < 0 ? 0.0f : low, high < 0 ? 0.0f : high, where);
}

}  // namespace gpu

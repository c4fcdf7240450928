#pragma once
// Elements of a type known only at run time, as host code reads and writes them.

#include <gemm/problem.hpp>

#include <core/numeric.hpp>

#include <cstdint>

namespace gemm {

template <class T>
constexpr double to_double(T value) {
  if constexpr (core::SmallFloat<T>) {
    return core::to_float(value);
  } else {
    return value;
  }
}

// float -> T, to nearest even.
template <class T>
constexpr T narrow(float value) {
  if constexpr (core::SmallFloat<T>) {
    return core::from_float<T>(value);
  } else {
    return value;
  }
}

// Calls f.template operator()<T>() with T = core::bf16, core::fp16 or float: C may be any of them.
template <class F>
auto dispatch_any_type(DataType type, F&& f) {
  if (type == DataType::kFp32) return f.template operator()<float>();
  return dispatch_type(type, f);
}

// The element `index` elements behind `data`.
inline double load_element(DataType type, const void* data, std::int64_t index) {
  return dispatch_any_type(
      type, [&]<class T>() { return to_double(static_cast<const T*>(data)[index]); });
}

// Stores `value`, rounded to nearest even.
inline void store_element(DataType type, void* data, std::int64_t index, float value) {
  dispatch_any_type(type, [&]<class T>() { static_cast<T*>(data)[index] = narrow<T>(value); });
}

}  // namespace gemm

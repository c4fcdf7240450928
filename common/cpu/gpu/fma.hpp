#pragma once
// The multiply-add of ordinary cores.

#include <runtime/current.hpp>
#include <runtime/sanitizer.hpp>

#include <cmath>
#include <limits>

namespace gpu {

// a * b + c (PTX fma.rn.f32, which rounds once; here it is up to the compiler).
inline float fma(float a, float b, float c) {
  if constexpr (runtime::kTraced) runtime::count_fma();
  return a * b + c;
}

// The larger of the two; NaN if either is one (PTX max.NaN.f32).
inline float max_or_nan(float a, float b) {
  if (a != a || b != b) return std::numeric_limits<float>::quiet_NaN();
  return a < b ? b : a;
}

// 1 / (1 + exp(-x)), here to less than a unit in the last place.
inline float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

}  // namespace gpu

#pragma once
// The multiply-add of ordinary cores.

#include <runtime/builtins.hpp>
#include <runtime/sanitizer.hpp>
#include <runtime/trace.hpp>

namespace gpu {

// a * b + c (PTX fma.rn.f32, which rounds once; here it is up to the compiler).
inline float fma(float a, float b, float c) {
  if constexpr (runtime::kTraced) runtime::count_fma();
  return a * b + c;
}

}  // namespace gpu

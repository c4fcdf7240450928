#pragma once
// The multiply-add of ordinary cores.

namespace gpu {

// a * b + c, rounded once to nearest even (PTX fma.rn.f32; FFMA in the machine code).
__device__ inline float fma(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}

}  // namespace gpu

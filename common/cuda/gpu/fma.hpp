#pragma once
// The multiply-add of ordinary cores.

namespace gpu {

// a * b + c, rounded once to nearest even (PTX fma.rn.f32; FFMA in the machine code): nvcc
// contracts the expression, since -fmad is on by default. Chapter 03 is faster so than with
// __fmaf_rn; why was not looked into.
__device__ inline float fma(float a, float b, float c) {
  return a * b + c;
}

// The larger of the two; NaN if either is one (PTX max.NaN.f32).
__device__ inline float max_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

// 1 / (1 + exp(-x)), to a few units in the last place, and NaN for NaN: by PTX ex2.approx.ftz and
// rcp.approx.ftz, an instruction each. (__expf and __fdividef take care of subnormal results, too.)
__device__ inline float sigmoid(float x) {
  constexpr float kLog2E = 1.4426950f;
  float exp, out;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(exp) : "f"(-kLog2E * x));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(1.0f + exp));
  return out;
}

}  // namespace gpu

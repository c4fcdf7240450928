#pragma once
// The multiply-add of ordinary cores.

namespace gpu {

// a * b + c, rounded once to nearest even (PTX fma.rn.f32; FFMA in the machine code). nvcc contracts
// the expression (-fmad is on by default); the intrinsic would keep it from choosing the order of
// neighbouring FMAs, which has cost 4% in a loop of nothing else.
__device__ inline float fma(float a, float b, float c) {
  return a * b + c;
}

}  // namespace gpu

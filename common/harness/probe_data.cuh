#pragma once
// What the probes compute with. Power, and with it the clock, depends on how many bits toggle: on
// zeros a loop of arithmetic runs faster than any real data lets it.

#include <gpu/convert.hpp>

#include <core/aligned_vector.hpp>
#include <core/numeric.hpp>

namespace harness::probes {

__device__ inline unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

// [1, 2) with a random mantissa.
__device__ inline float random_float(unsigned seed) {
  return __uint_as_float(0x3f800000u | (hash(seed) >> 9));
}

// Two neighbours of an operand, evenly distributed over [-1, 1] as the chapters' inputs are.
__device__ inline core::AlignedVector<core::bf16, 2> random_pair(unsigned seed) {
  return gpu::from_float<core::bf16>(2.0f * random_float(2 * seed) - 3.0f,
                                     2.0f * random_float(2 * seed + 1) - 3.0f);
}

}  // namespace harness::probes

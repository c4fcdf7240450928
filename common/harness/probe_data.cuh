#pragma once
// What the probes compute with, and how they become plans. Power, and with it the clock, depends on
// how many bits toggle: on zeros a loop of arithmetic runs faster than any real data lets it.

#include <harness/chapter.hpp>

#include <gpu/convert.hpp>
#include <gpu/launch.hpp>

#include <core/aligned_vector.hpp>
#include <core/numeric.hpp>

#include <tuple>

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

// A plan that launches the kernel with these arguments.
template <class Kernel, class... Args>
Plan planned(Kernel kernel, const gpu::LaunchShape& shape, const Args&... args) {
  struct Launch {
    Kernel kernel;
    gpu::LaunchShape shape;
    std::tuple<Args...> args;
    void run(gpu::Stream stream) const {
      std::apply([&](const Args&... a) { gpu::launch(kernel, shape, stream, a...); }, args);
    }
  };
  return Launch{kernel, shape, {args...}};
}

}  // namespace harness::probes

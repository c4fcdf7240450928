#pragma once
// Shapes that nobody has tuned for: drawn from a seed, the same everywhere, in integers alone.

#include <harness/results.hpp>

#include <cstdint>
#include <vector>

namespace harness {

inline constexpr int kSweepCount = 100;

// The first `count` shapes of a seed. Of each ten, in the order LSRLSRLSRL,
//   L  four are layers: (N, K) those of published language models, M log-uniform from 1 to 8192;
//   S  three are squares, log-uniform from 256 to 8192: multiples of 128 and of 16 in turn;
//   R  three are ragged: M, N, K log-uniform from 128 to 8192, rounded down to multiples of 8.
// Seeds 1 to 9 are for tuning. Every other seed is for reporting: it holds no shape that a tuning
// seed holds, and so that squares are left for it, tuning seeds draw half of their sizes only.
// `count` is at most kSweepCount: of more, some kinds would run out.
std::vector<Shape> sweep_shapes(std::uint64_t seed, int count);

}  // namespace harness

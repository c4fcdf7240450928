#pragma once
// Shapes whose fastest tiling was measured, for choose(). Written by fit.py --tuned; none at first.

#include <gemm/problem.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace every_shape {

struct Tuned {
  std::int64_t m, n, k;
  const char* tiling;
};

inline constexpr std::array<Tuned, 0> kTuned = {};

// The tiling of the first that has the problem's shape and is built, otherwise by the model.
struct BuiltTiling;
const BuiltTiling& choose(const gemm::Problem& problem, std::span<const Tuned> tuned);

}  // namespace every_shape

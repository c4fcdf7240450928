#pragma once
// Wave quantization: how much of the device a number of tiles keeps busy.

#include <gemm/problem.hpp>

#include <algorithm>
#include <cstdint>

namespace gemm {

// Tiles of bm x bn that cover C.
constexpr std::int64_t tiles_of(const Problem& problem, int bm, int bn) {
  return ((problem.m + bm - 1) / bm) * ((problem.n + bn - 1) / bn);
}

// Waves in which a device that computes `slots` tiles at a time computes that many, at least 1.
constexpr std::int64_t waves_of(std::int64_t tiles, int slots) {
  return std::max<std::int64_t>(1, (tiles + slots - 1) / slots);
}

// The share of the device's slots that tiles of bm x bn fill, 0 to 1: the last wave may be partial.
constexpr double wave_efficiency(const Problem& problem, int bm, int bn, int slots) {
  const std::int64_t tiles = tiles_of(problem, bm, bn);
  return static_cast<double>(tiles) / static_cast<double>(waves_of(tiles, slots) * slots);
}

}  // namespace gemm

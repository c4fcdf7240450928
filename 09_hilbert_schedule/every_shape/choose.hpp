#pragma once
// Which tiling a problem gets: the one that should take least time, by a model with a handful of
// constants, fitted to what tilings took at some sixty shapes on an H200. It is there to compare;
// --tune finds what it misses.

#include <gemm/problem.hpp>
#include <gemm/waves.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace every_shape {

// A way to cut C: rows x cols of it for a block. In a cluster two blocks may share A or share B,
// each loading half of it. Or `splits` blocks divide K.
struct Tiling {
  const char* name;
  int rows, cols;
  double speed;  // relative, where nothing else holds a block up
  int share_a = 1, share_b = 1, splits = 1;
  double first = 1.0;  // waves that the first one counts for
  double wave = 1.5;   // microseconds of a wave beside its k-tiles
};

inline constexpr Tiling kWide{"wide", 128, 256, 1.04, 1, 1, 1, 1.045};
inline constexpr Tiling kWideOnce{"wide_once", 128, 256, 1.005};
inline constexpr Tiling kLarge{"large", 192, 256, 0.95};
inline constexpr Tiling kSquare{"square", 192, 192, 0.98};
inline constexpr Tiling kFlat{"flat", 192, 96, 0.9, 1, 1, 1, 0.85};
inline constexpr Tiling kFlatPair{"flat_pair", 192, 96, 0.93, 2, 1};
inline constexpr Tiling kBlock{"block", 128, 128, 1.08};
inline constexpr Tiling kBlockPair{"block_pair", 128, 128, 0.98, 1, 2};
inline constexpr Tiling kSmall{"small", 64, 128, 1.275, 1, 1, 1, 1.0, 1.35};
inline constexpr Tiling kUpright{"upright", 128, 64, 1.15, 1, 1, 1, 1.0, 1.35};
inline constexpr Tiling kTiny{"tiny", 64, 64, 0.715};
inline constexpr Tiling kTinyDeep{"tiny_deep", 64, 64, 0.865};
inline constexpr Tiling kSlim{"slim", 64, 32, 0.515};
inline constexpr Tiling kSmallSplit{"small_split", 64, 128, 0.84, 1, 1, 2};
inline constexpr Tiling kTinySplit{"tiny_split", 64, 64, 0.79, 1, 1, 2};
inline constexpr Tiling kSlimSplit{"slim_split", 64, 32, 1.8, 1, 1, 4};

// For a tiling that does not suit the problem: it divides K where tiles are enough for all SMs.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// What it takes on a device of `sms` SMs, in microseconds: the start, and what takes longest of the
// tensor cores, an SM's loads, everybody's loads from the L2 and those from DRAM, though none of
// them is hidden entirely behind the others.
inline double microseconds(const Tiling& t, const gemm::Problem& problem, int sms) {
  constexpr double kLaunch = 2.0, kPair = 0.3, kSplit = 1.25;
  constexpr double kFlops = 4096 * 1750.0;  // of an SM in a microsecond, at the clock under load
  constexpr double kSmBytes = 245e3, kL2Bytes = 20e6, kDramBytes = 4.65e6;  // in a microsecond
  constexpr double kHidden = 2.9;  // infinity: all but the longest are hidden
  const auto up = [](std::int64_t value, std::int64_t to) { return (value + to - 1) / to; };

  const int cluster = t.share_a * t.share_b;
  const std::int64_t tiles_m = up(up(problem.m, t.rows), t.share_b) * t.share_b;
  const std::int64_t tiles_n = up(up(problem.n, t.cols), t.share_a) * t.share_a;
  const std::int64_t blocks = tiles_m * tiles_n * t.splits;
  if (t.splits > 1 && blocks > sms) return kNever;
  const std::int64_t waves = gemm::waves_of(blocks, std::max(1, sms / cluster * cluster));
  const auto persistent = static_cast<double>(up(blocks, waves));
  const auto m = static_cast<double>(problem.m), n = static_cast<double>(problem.n),
             k = static_cast<double>(problem.k);
  const double k_tiles = (static_cast<double>(waves) - 1 + t.first) *
                         static_cast<double>(up(up(problem.k, 64), t.splits));

  // Of a k-tile, rows that do not exist left out.
  const double rows_bytes =
      (std::min<double>(m, t.rows) / t.share_a + std::min<double>(n, t.cols) / t.share_b) * 64 * 2;
  const double terms[] = {
      k_tiles * 2 * t.rows * t.cols * 64 / kFlops / t.speed,
      k_tiles * rows_bytes / kSmBytes,
      k_tiles * persistent * rows_bytes / kL2Bytes,
      2 * (m * k + n * k + m * n) / kDramBytes,
  };
  double sum = 0;
  for (const double term : terms) sum += std::pow(term, kHidden);
  return kLaunch + static_cast<double>(waves) * t.wave + (cluster > 1 ? kPair : 0) +
         (t.splits > 1 ? kSplit : 0) + std::pow(sum, 1 / kHidden);
}

}  // namespace every_shape

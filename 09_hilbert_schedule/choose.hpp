#pragma once
// Which tiling a problem gets: the one that should take least time, by a model with a handful of
// constants. These were fitted to the times of all tilings at 30 shapes on an H200; the model is
// only there to compare, and picks what is within a few percent of the best.

#include <algorithm>
#include <cstdint>

namespace hilbert_schedule {

struct Shape {
  std::int64_t m, n, k;
};

// A way to cut C: rows x cols of it for a block. In a cluster two blocks may share A or share B,
// each bringing half of it, or `split` of them divide K.
struct Tiling {
  const char* name;
  int rows, cols;
  double efficiency;  // of the tensor cores, where nothing else holds a block up
  int share_a = 1, share_b = 1, split = 1;
};

inline constexpr Tiling kWide{"wide", 128, 256, 1.00};
inline constexpr Tiling kWideOnce{"wide_once", 128, 256, 0.98};
inline constexpr Tiling kWidePair{"wide_pair", 128, 256, 0.94, 1, 2};
inline constexpr Tiling kWideSplit4{"wide_split4", 128, 256, 0.94, 1, 1, 4};
inline constexpr Tiling kLarge{"large", 192, 256, 0.94};
inline constexpr Tiling kSquare{"square", 192, 192, 0.93};
inline constexpr Tiling kFlat{"flat", 192, 96, 0.94};
inline constexpr Tiling kFlatPair{"flat_pair", 192, 96, 0.83, 2, 1};
inline constexpr Tiling kBlock{"block", 128, 128, 0.98};
inline constexpr Tiling kBlockPair{"block_pair", 128, 128, 1.00, 1, 2};
inline constexpr Tiling kSmall{"small", 64, 128, 0.69};
inline constexpr Tiling kSmallPair{"small_pair", 64, 128, 0.60, 1, 2};
inline constexpr Tiling kSmallSplit{"small_split", 64, 128, 0.74, 1, 1, 2};
inline constexpr Tiling kTiny{"tiny", 64, 64, 0.67};
inline constexpr Tiling kTinySplit{"tiny_split", 64, 64, 0.83, 1, 1, 2};
inline constexpr Tiling kTinySplit4{"tiny_split4", 64, 64, 0.73, 1, 1, 4};
inline constexpr Tiling kSlim{"slim", 64, 32, 0.56};

// What it takes on a device of `sms` SMs, in microseconds.
inline double microseconds(const Tiling& t, const Shape& s, int sms) {
  constexpr double kLaunch = 2.0, kRound = 0.55, kPair = 1.3, kSplit = 2.7;
  constexpr double kFlopsPerSm = 4096 * 1750.0;  // a microsecond, at the clock under load
  constexpr double kSmBytes = 76e3, kL2Bytes = 9.7e6, kDramBytes = 5.0e6;  // a microsecond
  const auto up = [](std::int64_t value, std::int64_t to) { return (value + to - 1) / to; };

  const int cluster = t.share_a * t.share_b * t.split;
  const std::int64_t tiles_m = up(up(s.m, t.rows), t.share_b) * t.share_b;
  const std::int64_t tiles_n = up(up(s.n, t.cols), t.share_a) * t.share_a;
  const std::int64_t blocks = tiles_m * tiles_n * t.split;
  const std::int64_t rounds =
      std::max<std::int64_t>(1, up(blocks, std::max(1, sms / cluster * cluster)));
  const std::int64_t workers =
      t.split > 1 ? std::min<std::int64_t>(blocks, sms) : up(blocks, rounds);
  const std::int64_t steps = rounds * up(up(s.k, 64), t.split);

  const double flops = 2.0 * t.rows * t.cols * 64;
  const auto bytes = [&](double rows, double cols) {
    return (rows / t.share_a + cols / t.share_b) * 128;
  };
  const double own = bytes(t.rows, t.cols);
  const double loaded = bytes(static_cast<double>(std::min<std::int64_t>(s.m, t.rows)),
                              static_cast<double>(std::min<std::int64_t>(s.n, t.cols)));
  const double step = std::max({flops / kFlopsPerSm / t.efficiency, own / kSmBytes,
                                static_cast<double>(workers) * loaded / kL2Bytes});
  const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
  const double all = 2 * (m * static_cast<double>(s.k) + n * static_cast<double>(s.k) + m * n);
  return kLaunch + static_cast<double>(rounds) * kRound + (t.share_a * t.share_b > 1 ? kPair : 0) +
         (t.split > 1 ? kSplit : 0) + std::max(static_cast<double>(steps) * step, all / kDramBytes);
}

}  // namespace hilbert_schedule

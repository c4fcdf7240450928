#pragma once
// A model of the time that a tiling takes on a device, to compare tilings by. Its constants are
// fitted to recorded times (fit.py).

#include "launch_policy.hpp"
#include "model_constants.hpp"
#include "stream_k_shares.hpp"
#include "tiling.hpp"

#include <gemm/problem.hpp>
#include <gemm/waves.hpp>
#include <gpu/host.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace every_shape {

// What the model knows of a device.
struct DeviceRates {
  int sms;
  double dram_bytes;  // in a microsecond
};
inline DeviceRates present_device() {
  return {gpu::sm_count(), gpu::dram_bytes_per_second() / 1e6};
}

// For a tiling that does not suit the problem: stream-K with nothing to share out.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// How rows that are `leading_dimension` elements apart begin: 0 where all begin with a line of 128
// bytes, 1 where all begin with half a line, 2 with a sector of 32 bytes, 3 some in the middle of a
// sector. Of 1, 2 and 3 half of the rows, three quarters and seven eighths begin inside a line: 128
// bytes of them are parts of two lines, and in the middle of a sector of five sectors.
constexpr int alignment_class(std::int64_t leading_dimension) {
  return leading_dimension % 64 == 0   ? 0
         : leading_dimension % 32 == 0 ? 1
         : leading_dimension % 16 == 0 ? 2
                                       : 3;
}

// To one part in 10^14, in a third of the time that std::cbrt takes: a third of the exponent, then
// two steps of Halley's method.
inline double cube_root(double x) {
  if (x <= 0) return 0;
  double y = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 3 + 0x2A9F7893782DA1CE);
  for (int i = 0; i < 2; ++i) {
    const double cube = y * y * y;
    y *= (cube + 2 * x) / (2 * cube + x);
  }
  return y;
}

// What the model says of a tiling. Times are in microseconds.
struct Estimate {
  double total = kNever;
  double start = 0, parts = 0, stores = 0;      // parts: of tiles, to add them up
  double mma = 0, asked = 0, l2 = 0, dram = 0;  // of the main loops, what each would take alone
  double waves = 1, filled_waves = 1;           // filled_waves: blocks / blocks that run at a time
  double filled_m = 1, filled_n = 1;            // the part of the tiles' extents that C has
};

// The total is the start, what every wave of tiles takes beside its MMAs, and what takes longest of
// the tensor cores, the loads that an SM asks for, those that it gets (more, in a cluster),
// everybody's loads from the L2 and those from DRAM, though none of them is hidden entirely behind
// the others. Where a part of it alone exceeds `limit`, the rest is not worked out: kNever.
[[gnu::always_inline]] inline Estimate estimate(const Tiling& t, const gemm::Problem& given,
                                                const DeviceRates& device, double limit = kNever,
                                                const ModelConstants& fitted = kModel) {
  const gemm::Problem problem = t.transposed ? transposed(given) : given;
  const auto up = [](std::int64_t value, std::int64_t to) {
    return std::int64_t{static_cast<unsigned>(value + to - 1) / static_cast<unsigned>(to)};
  };
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  const int cluster = t.share_a * t.share_b * t.split_k;
  const std::int64_t tiles_m = up(problem.m, t.rows * t.share_b) * t.share_b;
  const std::int64_t tiles_n = up(problem.n, t.cols * t.share_a) * t.share_a;
  const std::int64_t blocks = tiles_m * tiles_n * t.split_k;
  // The SMs of a GPC are not a multiple of four: some stay without a cluster of four or eight.
  const int slots = std::max(1, (cluster <= 2 ? device.sms : device.sms / 11 * 10) / cluster);
  const std::int64_t tile_k_tiles = up(up(problem.k, 64), t.split_k);
  const std::int64_t all_waves = gemm::waves_of(blocks, slots * cluster);
  double waves = real(all_waves), persistent = real((blocks + all_waves - 1) / all_waves);
  double k_tiles = waves * real(tile_k_tiles);
  double partial_tiles = 0;
  if (t.stream_k) {
    const StreamKShares shares(static_cast<int>(blocks / cluster), static_cast<int>(tile_k_tiles),
                               slots);
    if (shares.rest == 0) return {};
    persistent = shares.clusters * cluster;
    waves = real(shares.whole / shares.clusters) + 1;
    k_tiles = (waves - 1) * real(tile_k_tiles) + shares.begin(1);
    partial_tiles = shares.parts;  // that are stored or added one after the other
  }
  const double m = real(problem.m), n = real(problem.n), k = real(problem.k);

  // A k-tile takes the tensor cores of an SM 2 cols cycles for 64 rows, if shared memory gives them
  // A and B that fast. One consumer leaves gaps between its MMAs, and so do two that take turns.
  const int consumers = t.rows / 64;
  const double mma_cycles = consumers * std::max<double>(2 * t.cols, fitted.smem * (64 + t.cols)) +
                            fitted.gap[t.ping_pong ? 0 : std::min(consumers, 3) - 1];
  const double for_a_cycle = k_tiles / fitted.cycles;
  if (fitted.launch + for_a_cycle * mma_cycles > limit) return {};
  // Rows of A and B for a k-tile, by the cycles that they take. Those of an operand along K that do
  // not exist are left out; of others there are 32 or 64 at a time.
  const auto loaded = [&](gemm::Major major, double all, int of_tile) {
    return major == gemm::Major::kK ? std::min<double>(all, of_tile) : real(up(of_tile, 32) * 32);
  };
  const double of_a = loaded(problem.a_major, m, t.rows);
  const double of_b = loaded(problem.b_major, n, t.cols);
  const int class_a = alignment_class(problem.lda), class_b = alignment_class(problem.ldb);
  const double narrow = !t.by_tma && t.cols % 32 != 0 ? fitted.narrow : 1.0;  // boxes of 16 rows
  const double each_a = of_a / t.share_a, each_b = of_b / t.share_b;
  const double asked = each_a * fitted.ask[class_a] + each_b * fitted.ask[class_b] * narrow;
  const double got = of_a * fitted.get[class_a] + of_b * fitted.get[class_b];
  // From wave to wave clusters drift apart, and what they load from the L2 has less in common.
  const double drift = cluster > 1 ? 1 + fitted.drift * std::max(0.0, waves - 1) : 1;
  const double tile_bytes = std::min<double>(m, t.rows) * std::min<double>(n, t.cols) * 2;
  const double store = t.deferred ? fitted.store_deferred
                       : t.by_tma
                           ? fitted.store_transposed + tile_bytes * persistent / fitted.store_bytes
                           : fitted.store + tile_bytes * persistent / fitted.store_bytes;
  const double partial = t.rows * t.cols * 4.0 / fitted.partial_bytes;
  const double parts = t.stream_k      ? fitted.stream_k + partial_tiles * partial
                       : t.split_k > 1 ? fitted.split_k
                                       : 0;
  const double start = fitted.launch + (cluster > 1 ? fitted.cluster : 0);
  // Consumers that take turns store beside each other's MMAs, but for the last tile.
  const double stores = (t.ping_pong ? 1 : waves) * store + (t.deferred ? fitted.last_store : 0);
  const double longest = for_a_cycle * std::max({mma_cycles, asked, got});
  if (start + parts + stores + drift * longest > limit) return {};
  // What the SMs of a GPC ask for at about the same time, the L2 is asked for once: of 16 blocks
  // that lie as nearly in a square as they can. Rows that do not begin with a line ask for two.
  const double side = std::sqrt(16.0 * t.cols / t.rows);
  const double tile_rows = std::clamp(side, 1.0, std::max(1.0, real(tiles_m)));
  const double tile_cols = std::clamp(16 / tile_rows, 1.0, std::max(1.0, real(tiles_n)));
  const double wide_a = 128 * fitted.spread[class_a], wide_b = 128 * fitted.spread[class_b];
  const double alone = wide_a * each_a + wide_b * each_b;
  const double together = wide_a * of_a / tile_cols + wide_b * of_b * tile_cols / 16;
  const double bytes = fitted.together * together + (1 - fitted.together) * alone;
  const double terms[] = {
      for_a_cycle * mma_cycles,
      for_a_cycle * asked,
      for_a_cycle * got,
      k_tiles * persistent * bytes / fitted.l2_bytes,
      2 * (m * k + n * k + m * n) / (fitted.dram * device.dram_bytes),
  };
  double sum = 0;
  for (const double term : terms) sum += term * term * term;
  Estimate out = {
      .start = start,
      .parts = parts,
      .stores = stores,
      .mma = terms[0],
      .asked = terms[1],
      .l2 = terms[3],
      .dram = terms[4],
      .waves = waves,
      .filled_waves = real(blocks) / (slots * cluster),
      .filled_m = m / (real(tiles_m) * t.rows),
      .filled_n = n / (real(tiles_n) * t.cols),
  };
  out.total = out.start + out.parts + out.stores + drift * cube_root(sum);
  return out;
}
inline double microseconds(const Tiling& tiling, const gemm::Problem& problem,
                           const DeviceRates& device, double limit = kNever) {
  return estimate(tiling, problem, device, limit).total;
}

// Of a problem whose tiles are wide ones or small ones: wide ones?
inline bool wants_wide(const gemm::Problem& problem) {
  const DeviceRates device = present_device();
  return microseconds({.rows = 128, .cols = 256, .deferred = true}, problem, device) <=
         microseconds({.rows = 64, .cols = 128}, problem, device);
}

// What was learnt of a tiling: nothing, if it was never timed.
inline FittedTiling fitted(const Tiling& tiling) {
  const std::string name = tiling.name();
  for (const FittedTiling& known : kTilings) {
    if (name == known.name) return known;
  }
  return {.name = "", .factor = 1, .embedding = {}};
}

}  // namespace every_shape

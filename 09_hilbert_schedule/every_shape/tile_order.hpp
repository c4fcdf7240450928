#pragma once
// How many clusters a launch has, and in which order they take its tiles: what that makes the L2
// and DRAM bring.

#include <gemm/operands.hpp>
#include <gemm/waves.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace every_shape {

// SMs of a GPC, nearly: some have 18, and single ones fewer. GPCs of a device.
inline constexpr int kGpcSms = 16;
inline constexpr int kGpcs = 8;

// How many clusters to start for so many tiles, when the device holds `most` at once. No more than
// it takes to be done in as many waves: the others would be idle in the last one, and in the waves
// before they would only draw power that the rest could use.
inline unsigned persistent_clusters(unsigned tiles, int most, bool whole_waves) {
  const int held = std::max(1, most);
  if (!whole_waves || tiles == 0) return std::min(tiles, static_cast<unsigned>(held));
  const auto waves = static_cast<unsigned>(gemm::waves_of(tiles, held));
  return (tiles + waves - 1) / waves;
}

// What the tiles of windows load, of A's rows of tiles and B's columns, in a snake through groups.
// A window is 16 tiles that follow each other: blocks get their SMs in the order of their numbers,
// a GPC's 16 or so one after the other, and what these load at about the same time is asked of the
// L2 once.
class GpcLoads {
 public:
  GpcLoads(int tiles_m, int tiles_n, double row, double col)
      : tiles_m_(tiles_m),
        tiles_n_(tiles_n),
        row_(row),
        col_(col),
        loaded_(static_cast<std::size_t>(tiles_m + tiles_n)) {}

  struct Loads {
    double most = 0, mean = 0;
  };
  // In groups of so many rows of tiles, of the windows that begin at every `step` of the first
  // tiles.
  Loads of(int rows, int step, int tiles) {
    Loads loads;
    int windows = 0;
    for (int first = 0; first < tiles; first += step, ++windows) {
      ++window_;
      double sum = 0;
      for (int tile = first; tile < std::min(first + kGpcSms, tiles_m_ * tiles_n_); ++tile) {
        const int group = tile / (rows * tiles_n_), in_group = tile % (rows * tiles_n_);
        const int high = std::min(rows, tiles_m_ - group * rows), col = in_group / high;
        const int snake_col = group % 2 == 0 ? col : tiles_n_ - 1 - col;
        sum += load(group * rows + in_group % high, row_) + load(tiles_m_ + snake_col, col_);
      }
      loads.most = std::max(loads.most, sum);
      loads.mean += sum;
    }
    loads.mean /= windows;
    return loads;
  }

 private:
  double load(int panel, double size) {
    return std::exchange(loaded_[static_cast<std::size_t>(panel)], window_) == window_ ? 0 : size;
  }

  int tiles_m_, tiles_n_;
  double row_, col_;
  std::vector<int> loaded_;  // the window that loaded a panel last
  int window_ = 0;
};

// Tiles in a group, along M, for one wave of tiles of tile_rows x tile_cols, in which nothing comes
// again. The GPC that has to load most is done last. Groups that are not equally high have to be
// worth it: a block's place in the grid does not say then where its tile lies.
inline int gpc_local_rows(int tiles_m, int tiles_n, int tile_rows, int tile_cols) {
  constexpr double kUneven = 1.15;
  GpcLoads loads(tiles_m, tiles_n, tile_rows, tile_cols);
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= std::min(tiles_m, kGpcSms); ++rows) {
    const auto of = loads.of(rows, kGpcSms / 2, tiles_m * tiles_n);
    const double cost = (of.most + of.mean / 2) * (tiles_m % rows == 0 ? 1 : kUneven);
    if (cost < least) best = rows, least = cost;
  }
  return best;
}

// The same for clusters whose blocks share no A, which is what the L2 is asked for once. The
// hardware assigns clusters to the GPCs in turn, so every eighth has the same one, as long as all
// have room. Those should lie in the same row.
inline int gpc_local_rows_of_clusters(int tiles_m) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(tiles_m, 1, kGpcs))));
}

// Tiles of clusters in several waves: the bytes of A that a row of them loads, of B that a column
// does, a tile's multiply-adds, and how many rows of C it has. Of the transpose of C, tiles of the
// same column lie in the same rows of C.
struct TileGrid {
  int tiles_m, tiles_n;
  double row_bytes, col_bytes, multiply_adds;
  int stored_rows = 0;
  bool transposed = false;
};

// An L2 of so many bytes, which forgets what is least recently used, while waves of tiles load rows
// of tiles of A and columns of tiles of B: panels. A wave loads all of its panels along K at the
// same time, and every second wave goes through K backwards.
class PanelCache {
 public:
  PanelCache(int panels, int waves, double l2_bytes)
      : last_wave_(static_cast<std::size_t>(panels), kNone),
        left_(static_cast<std::size_t>(waves)),
        again_(left_.size()),
        l2_bytes_(l2_bytes) {}
  void load(int panel, double bytes) {
    std::size_t& last = last_wave_[static_cast<std::size_t>(panel)];
    if (last == wave_) return;
    loaded_ += bytes;
    if (last < wave_) again_[last] += bytes;  // not the first time
    last = wave_;
  }
  // Ends a wave: the bytes that DRAM has brought for it.
  double next_wave() {
    double since = 0, of_that_again = 0, kept = 0;
    for (std::size_t wave = wave_; wave-- > 0;) {
      of_that_again += again_[wave];
      const double both = left_[wave] + loaded_ - again_[wave];  // of the two waves
      const bool opposite = (wave_ - wave) % 2 != 0;
      const bool all_fits = since + left_[wave] + loaded_ - of_that_again <= l2_bytes_;
      if (again_[wave] > 0 && since <= l2_bytes_)
        kept += again_[wave] * (opposite ? std::min(1.0, (l2_bytes_ - since) / both) : all_fits);
      since += left_[wave];
      left_[wave] -= again_[wave];
      again_[wave] = 0;
    }
    left_[wave_++] = loaded_;
    return std::exchange(loaded_, 0) - kept;
  }

 private:
  static constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last_wave_;  // that loaded a panel
  // Of each wave, the bytes that no later wave has loaded, and those that the present one loads.
  std::vector<double> left_, again_;
  double l2_bytes_, loaded_ = 0;
  std::size_t wave_ = 0;
};

// The sum of use(bytes, cut) over the waves, for a tile in the mean, where `clusters` clusters take
// the tiles in a snake through groups of `rows` rows. `bytes` are those that DRAM brings for a wave
// with an L2 of so many bytes. `cut`: where the wave's part of a row of C begins or ends within the
// row.
template <class Use>
double sum_of_waves(const TileGrid& grid, int rows, int clusters, double l2_bytes, const Use& use) {
  constexpr int kMostWaves = 48;  // it goes on as it began
  const int tiles = std::min(grid.tiles_m * grid.tiles_n, kMostWaves * clusters);
  PanelCache cache(grid.tiles_m + grid.tiles_n, kMostWaves, l2_bytes);
  double sum = 0;
  for (int first = 0; first < tiles; first += clusters) {
    double cut = 0;
    const int end = std::min(first + clusters, tiles), in_group = rows * grid.tiles_n;
    for (int group = first / in_group; group * in_group < end; ++group) {
      const int high = std::min(rows, grid.tiles_m - group * rows);
      const int begin = std::max(first - group * in_group, 0);
      const int last = std::min(end - group * in_group, high * grid.tiles_n) - 1;
      const int first_col = begin / high, last_col = last / high;
      for (int col = first_col; col <= last_col; ++col) {
        const int snake_col = group % 2 == 0 ? col : grid.tiles_n - 1 - col;
        cache.load(grid.tiles_m + snake_col, grid.col_bytes);
      }
      const bool one_column = first_col == last_col;
      const int first_row = one_column ? begin % high : 0;
      const int last_row = one_column ? last % high : high - 1;
      const int ends = grid.transposed ? (group > 0) + (group * rows + high < grid.tiles_m)
                                       : (first_col > 0) + (last_col < grid.tiles_n - 1);
      const int panels = grid.transposed ? last_col - first_col + 1 : last_row - first_row + 1;
      cut += 1.0 * ends * panels * grid.stored_rows;
      for (int row = first_row; row <= last_row; ++row)
        cache.load(group * rows + row, grid.row_bytes);
    }
    sum += use(cache.next_wave(), cut);
  }
  return sum / tiles;
}
// Bytes from DRAM for a tile, in the mean.
inline double dram_bytes(const TileGrid& grid, int rows, int clusters, double l2_bytes) {
  return sum_of_waves(grid, rows, clusters, l2_bytes, [](double bytes, double) { return bytes; });
}

// How many rows of tiles the groups of a snake have in several waves; nearly equally many each.
// Usually 6 for single blocks: the 16 or so of a GPC follow each other, ask the L2 once for what
// they load at about the same time, and lie nearly in a square. In clusters 16: the hardware
// assigns them round-robin to the eight GPCs, and those of a GPC lie in two rows then. Another
// height has to save bytes: from DRAM and, for single blocks, a fifth of those from the L2. On an
// H100 a byte from DRAM costs as much as 21 multiply-adds. It costs more where a wave gets nearly
// as many as DRAM can bring meanwhile, so waves should get equally many. A row of C that clusters
// store in parts costs 76 bytes for each cut. Single blocks' waves that are no whole columns cost
// 0.4% of the time. What a height saves has to be 0.2%. What SMs of both halves of the chip read is
// in both halves of the L2, so only half of it counts.
inline int group_rows(const TileGrid& grid, unsigned clusters, bool multicast,
                      std::int64_t l2_bytes) {
  constexpr int kHeights[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64};
  constexpr double kL2Byte = 0.21, kMultiplyAdds = 21;  // of a byte from DRAM
  constexpr double kDramTime = 3.8;  // of a wave for which DRAM brings one for each cluster
  constexpr double kCut = 76;
  const double time = grid.multiply_adds / kMultiplyAdds;
  const auto even = [&](int rows) {
    return gemm::ceil_div(grid.tiles_m, gemm::ceil_div(grid.tiles_m, rows));
  };
  GpcLoads loads(grid.tiles_m, grid.tiles_n, grid.row_bytes, grid.col_bytes);
  const auto from_l2 = [&](int rows) {       // for a tile
    constexpr int kStep = 11, kTiles = 176;  // windows begin anywhere in a column of tiles
    return loads.of(rows, kStep, std::min(grid.tiles_m * grid.tiles_n, kTiles)).mean / kGpcSms;
  };
  const auto at_once = static_cast<int>(clusters);
  const auto cost = [&](int rows) {
    const double bytes = sum_of_waves(
        grid, rows, at_once, static_cast<double>(l2_bytes) / 2, [&](double of_wave, double cut) {
          const double dram_time = kDramTime * of_wave / at_once;
          const double longer = std::cbrt(time * time * time + dram_time * dram_time * dram_time);
          return of_wave + at_once * (longer - time) + (multicast ? kCut : 0) * cut;
        });
    if (multicast) return bytes;
    const bool broken = rows < grid.tiles_m && at_once % rows != 0;
    return bytes + kL2Byte * from_l2(rows) + (broken ? 0.004 * time : 0);
  };
  int best = even(multicast ? 16 : 6);
  double least = cost(best) - 0.002 * time;
  for (int last = 0; const int height : kHeights) {
    const int rows = even(height);
    if (rows == std::exchange(last, rows)) continue;
    if (const double bytes = cost(rows); bytes < least) best = rows, least = bytes;
  }
  return best;
}

}  // namespace every_shape

#pragma once
// How a problem is gone about, as far as the host decides it: the order of tiles, how many
// persistent blocks, what the L2 is asked for.

#include "schedule.cuh"

#include <gemm/operands.hpp>
#include <gemm/problem.hpp>
#include <gemm/waves.hpp>
#include <gpu/host.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace every_shape {

// What a launch may do in another way than usual; each line is an ablation.
struct LaunchPolicy {
  Rasterization rasterization = Rasterization::kSnake;
  int group_rows = 0;         // tiles of C in a group, along M; 0: as suits the problem
  bool reverse_k = true;      // every second tile from the end of K
  bool keep_a = true;         // ask the L2 to keep a group's rows of A, if it can, and not B
  bool evict_c_first = true;  // ask the L2 not to keep C
  bool whole_waves = true;    // no more blocks than whole waves of tiles need
  bool aligned_waves = true;  // in each wave whole columns of a group, if that takes hardly longer
  bool trim_boxes = true;     // load no rows that A or B does not have
  bool gpc_local = true;      // one wave of tiles so that the SMs of a GPC share rows
  bool programmatic = false;  // programmatic dependent launch: may start while the kernel before it
                              // finishes
};

// The problem C^T = B A^T, but for C, which stays where it is.
inline gemm::Problem transposed(gemm::Problem problem) {
  std::swap(problem.m, problem.n);
  std::swap(problem.a, problem.b);
  std::swap(problem.lda, problem.ldb);
  std::swap(problem.a_major, problem.b_major);
  return problem;
}

// Whether C takes stores of 128 bits, by TMA or by threads that have permuted rows of B: both want
// addresses and distances of rows in multiples of 16 bytes, and N in multiples of 8; TMA wants
// distances of less than 2^40.
inline bool can_store_wide(const gemm::Problem& problem) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(problem.c) % 16 == 0;
  const bool distance = problem.ldc % 8 == 0 && problem.ldc < std::int64_t{1} << 39;
  return aligned && distance && problem.n % 8 == 0;
}

// How many clusters to start for so many tiles, when the device holds `most` at once. No more than
// it takes to be done in as many waves: the others would be idle in the last one, and in the waves
// before they would only draw power that the rest could use.
inline unsigned persistent_clusters(unsigned tiles, int most, bool whole_waves) {
  const int held = std::max(1, most);
  if (!whole_waves || tiles == 0) return std::min(tiles, static_cast<unsigned>(held));
  const auto waves = static_cast<unsigned>(gemm::waves_of(tiles, held));
  return (tiles + waves - 1) / waves;
}

// The L2 is asked to keep a group's rows of A where they have room and are many (few stay there by
// themselves), but not all of A and B has, and where a later wave reads them again: a group is more
// than a wave. Blocks of a cluster read B at different times: what is evicted first is then loaded
// twice. Where K is shorter than this, what passes through the L2 is for a large part C.
inline constexpr int kShortestKToKeep = 4096;

// Bytes that the L2 can be asked to keep, and have room for what passes through.
inline std::int64_t kept_bytes() {
  return static_cast<std::int64_t>(gpu::l2_bytes()) / 7 * 4;
}

// Bytes that the DRAM brings while a kernel, ready itself, waits for the one before to end.
inline constexpr std::int64_t kPrefetchBytes = 1 << 20;

// Tiles in a group, along M, a power of two from 8 to 32. 16, if the L2 can keep A's rows for so
// many. More where groups would take few waves: one that takes no more than two reads nothing of A
// again.
inline int group_rows(std::int64_t bytes_of_tile_row, int tiles_n, int clusters) {
  const auto fits = [&](int rows) { return rows * bytes_of_tile_row <= kept_bytes(); };
  const auto waves = [&](int rows) { return static_cast<double>(rows) * tiles_n / clusters; };
  int rows = fits(16) ? 16 : 8;
  while (rows < 32 && (waves(rows) < 2 || (waves(rows) < 4 && fits(2 * rows)))) rows *= 2;
  return rows;
}

// Where the L2 has room for all of A and B, and DRAM does not count: neighbouring tiles, which the
// SMs of a GPC compute, lie nearly in a square.
inline constexpr int kLowGroupRows = 6;

// The same for so many rows of tiles: if the last group would be a low one, all are equally high,
// or nearly. Its rows would load all of B for themselves.
inline int even_group_rows(int group_rows, int tiles_m) {
  const int last = tiles_m % group_rows;
  if (last == 0 || 2 * last >= group_rows) return group_rows;
  return gemm::ceil_div(tiles_m, gemm::ceil_div(tiles_m, group_rows));
}

// The same for one wave of tiles of tile_rows x tile_cols, in which nothing comes again, in a snake
// through the groups. Blocks get their SMs in the order of their numbers, a GPC's 16 or so one
// after the other, and what these load at about the same time is asked of the L2 once. The GPC that
// has to load most is done last: 16 tiles that follow each other, wherever they begin, should have
// as few rows of A and of B as they can. Groups that are not equally high have to be worth it: a
// block's place in the grid does not say then where its tile lies.
inline int gpc_local_rows(int tiles_m, int tiles_n, int tile_rows, int tile_cols) {
  constexpr int kGpcSms = 16, kUneven = 115, kEven = 100;
  const int tiles = tiles_m * tiles_n;
  int best = 1, least = std::numeric_limits<int>::max(), window = 0;
  // The last 16 tiles that loaded a row of tiles, or a column.
  std::vector<int> loaded_m(static_cast<std::size_t>(tiles_m));
  std::vector<int> loaded_n(static_cast<std::size_t>(tiles_n));
  for (int rows = 1; rows <= std::min(tiles_m, kGpcSms); ++rows) {
    int most = 0, sum = 0, windows = 0;
    for (int first = 0; first < tiles; first += kGpcSms / 2, ++windows) {
      ++window;
      int elements = 0;
      for (int tile = first; tile < std::min(first + kGpcSms, tiles); ++tile) {
        const int group = tile / (rows * tiles_n), in_group = tile % (rows * tiles_n);
        const int high = std::min(rows, tiles_m - group * rows), col = in_group / high;
        const int row = group * rows + in_group % high;
        const int snake_col = group % 2 == 0 ? col : tiles_n - 1 - col;
        const auto load = [&](int& last_window, int size) {
          if (last_window != window) elements += size;
          last_window = window;
        };
        load(loaded_m[static_cast<std::size_t>(row)], tile_rows);
        load(loaded_n[static_cast<std::size_t>(snake_col)], tile_cols);
      }
      most = std::max(most, elements);
      sum += elements;
    }
    const int cost = (most + sum / windows / 2) * (tiles_m % rows == 0 ? kEven : kUneven);
    if (cost < least) best = rows, least = cost;
  }
  return best;
}

// As many clusters as make whole columns of a group, if that is no more than one in 32 waves
// longer: what they compute at a time then has the same shape in every wave.
inline unsigned aligned_clusters(unsigned clusters, unsigned tiles, int group_rows) {
  const auto rows = static_cast<unsigned>(group_rows);
  if (clusters < rows || tiles == clusters) return clusters;
  const unsigned fewer = clusters / rows * rows;
  const auto waves = [&](unsigned of) { return gemm::waves_of(tiles, static_cast<int>(of)); };
  return waves(fewer) <= waves(clusters) + waves(clusters) / 32 ? fewer : clusters;
}

}  // namespace every_shape

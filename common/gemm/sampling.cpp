#include <gemm/sampling.hpp>

#include <gemm/random.hpp>

#include <algorithm>

namespace gemm {
namespace {

constexpr std::int64_t kMostTiles = 65536;

std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// Positions along one dimension where something begins or ends.
std::vector<std::int64_t> edges(std::int64_t size) {
  std::vector<std::int64_t> out = {0, 1, size - 2, size - 1};
  for (std::int64_t boundary = 64; boundary <= size; boundary += 64) {
    out.insert(out.end(), {boundary - 1, boundary, boundary + 1});
  }
  std::erase_if(out, [&](std::int64_t i) { return i < 0 || i >= size; });
  return out;
}

void sort_unique(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
}

}  // namespace

std::vector<Entry> sample_entries(std::int64_t m, std::int64_t n, int tile_rows, int tile_cols,
                                  std::int64_t at_least, std::uint64_t seed) {
  std::vector<Entry> out;
  if (m <= 0 || n <= 0) return out;
  if (m * n <= at_least) {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t col = 0; col < n; ++col) out.push_back({row, col});
    }
    return out;
  }

  std::uint64_t counter = 0;
  const auto random_below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(counter_bits(seed, counter++) %
                                     static_cast<std::uint64_t>(bound));
  };

  for (const std::int64_t row : edges(m)) {
    out.push_back({row, random_below(n)});
    out.push_back({row, n - 1});
  }
  for (const std::int64_t col : edges(n)) {
    out.push_back({random_below(m), col});
    out.push_back({m - 1, col});
  }
  out.insert(out.end(), {{0, 0}, {0, n - 1}, {m - 1, 0}});

  const std::int64_t tiles_n = ceil_div(n, tile_cols);
  const std::int64_t tiles = ceil_div(m, tile_rows) * tiles_n;
  const std::int64_t visited = std::min(tiles, kMostTiles);
  do {
    const std::int64_t per_tile = std::max<std::int64_t>(1, ceil_div(at_least, visited));
    for (std::int64_t i = 0; i < visited; ++i) {
      const std::int64_t tile = tiles <= kMostTiles ? i : random_below(tiles);
      const std::int64_t row0 = tile / tiles_n * tile_rows, col0 = tile % tiles_n * tile_cols;
      for (std::int64_t j = 0; j < per_tile; ++j) {
        out.push_back({row0 + random_below(std::min<std::int64_t>(tile_rows, m - row0)),
                       col0 + random_below(std::min<std::int64_t>(tile_cols, n - col0))});
      }
    }
    sort_unique(out);  // where a small tile was hit twice, more rounds follow
  } while (static_cast<std::int64_t>(out.size()) < at_least);
  return out;
}

}  // namespace gemm

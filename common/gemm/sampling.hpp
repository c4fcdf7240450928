#pragma once
// Which entries of a large C are worth computing twice.

#include <gemm/reference.hpp>

#include <cstdint>
#include <vector>

namespace gemm {

// At least `at_least` entries (or all of them, where C has fewer) of an (m, n) matrix, each once,
// in row-major order, the same for the same arguments:
//   random ones in every tile_rows x tile_cols tile (beyond 65536 tiles: in 65536 of them);
//   the corners; entries of the first and last two rows and columns;
//   entries of the rows and columns next to multiples of 64 and 128, where tiles of all usual sizes
//   begin and end, and where these cross the last row and column.
std::vector<Entry> sample_entries(std::int64_t m, std::int64_t n, int tile_rows, int tile_cols,
                                  std::int64_t at_least, std::uint64_t seed);

}  // namespace gemm

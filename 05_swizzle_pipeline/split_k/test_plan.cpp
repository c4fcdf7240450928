// The host's side of split problems: which k-tiles a split has, and what a grid can hold.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "plan.cuh"

#include <test/catch.hpp>

#include <algorithm>

using split_k::k_range;
using split_k::KRange;

TEST_CASE("split_k: the splits of K cover it once, and differ by a k-tile at most") {
  for (int k_tiles = 0; k_tiles <= 70; ++k_tiles) {
    for (int splits = 1; splits <= std::max(1, k_tiles); ++splits) {
      CAPTURE(k_tiles, splits);
      int next = 0, wrong = 0;
      for (int split = 0; split < splits; ++split) {
        const KRange range = k_range(split, splits, k_tiles);
        const int length = range.end - range.first;
        wrong += range.first != next;
        wrong += length != k_tiles / splits && length != (k_tiles + splits - 1) / splits;
        next = range.end;
      }
      CHECK(wrong == 0);
      CHECK(next == k_tiles);
    }
  }
  // The page's example: 4096 in 20 splits, k-tiles of 64.
  int of_192 = 0, of_256 = 0;
  for (int split = 0; split < 20; ++split) {
    const KRange range = k_range(split, 20, 4096 / 64);
    of_192 += (range.end - range.first) * 64 == 192;
    of_256 += (range.end - range.first) * 64 == 256;
  }
  CHECK((of_192 == 16 && of_256 == 4));
  // No overflow on the way: the largest K, in as many splits as a grid may have.
  constexpr int kTiles = gemm::kLargestSize / 32;
  CHECK(k_range(65534, 65535, kTiles).end == kTiles);
}

TEST_CASE("split_k: no more splits than there are k-tiles, and than a grid can hold") {
  using C = split_k::Config<split_k::SmallTiles, 4, 8>;
  CHECK(split_k::clamp_splits<C>(7, 4096) == 7);
  CHECK(split_k::clamp_splits<C>(1000, 200) == 4);
  CHECK(split_k::clamp_splits<C>(3, 0) == 1);
  CHECK(split_k::clamp_splits<C>(1 << 20, static_cast<int>(gemm::kLargestSize)) == 65535);
}

// The tiles of such a C fit a grid, the blocks of its reduction do not. Refused before any memory
// is asked for.
TEST_CASE("split_k: a reduction that no grid holds is refused by name") {
  using C = split_k::Config<split_k::SmallTiles, 4, 8>;
  const auto prepare = [](int m, int n) {
    const gemm::Operands<core::bf16> g{nullptr, nullptr, nullptr, 128, 128, n, m, n, 128};
    return split_k::prepare<core::bf16, C>(g, 2);
  };
  CHECK_THROWS_AS(prepare(1 << 20, 1 << 20), core::Refused);
  CHECK_THROWS_WITH(prepare(1 << 20, 1 << 20),
                    "split_k: 4294967296 blocks of the reduction exceed the largest grid "
                    "(2147483647 blocks)");
  CHECK(split_k::reduce_blocks(1 << 20, (1 << 19) - 1) == (1u << 31) - 4096);
  CHECK_THROWS_AS(split_k::reduce_blocks(1 << 20, 1 << 19), core::Refused);
}

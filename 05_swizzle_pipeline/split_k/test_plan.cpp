// The host's side of split problems: which k-tiles a split has, and what a grid can hold.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "plan.cuh"

#include <test/catch.hpp>

using namespace split_k;

TEST_CASE("split_k: the splits of K cover it once, and differ by a k-tile at most") {
  for (int k_tiles = 0; k_tiles <= 70; ++k_tiles) {
    for (int splits = 1; splits <= std::max(1, k_tiles); ++splits) {
      CAPTURE(k_tiles, splits);
      int next = 0;
      for (int split = 0; split < splits; ++split) {
        const KRange range = k_range(split, splits, k_tiles);
        const int length = range.end - range.first;
        CHECK(range.first == next);
        CHECK((length == k_tiles / splits || length == (k_tiles + splits - 1) / splits));
        next = range.end;
      }
      CHECK(next == k_tiles);
    }
  }
  // No overflow on the way: the largest K, in as many splits as a grid may have.
  constexpr int kTiles = gemm::kLargestSize / 32;
  CHECK(k_range(65534, 65535, kTiles).end == kTiles);
}

TEST_CASE("split_k: no more splits than there are k-tiles, and than a grid can hold") {
  using C = split_k::Config<SmallTiles, 4, 8>;
  CHECK(clamp_splits<C>(1000, 200) == 4);
  CHECK(clamp_splits<C>(3, 0) == 1);
  CHECK(clamp_splits<C>(1 << 20, static_cast<int>(gemm::kLargestSize)) == 65535);
  CHECK(reduce_blocks(1 << 20, (1 << 19) - 1) == (1u << 31) - 4096);
  CHECK_THROWS_WITH(reduce_blocks(1 << 20, 1 << 20),
                    "split_k: 4294967296 blocks of the reduction exceed the largest grid "
                    "(2147483647 blocks)");
}

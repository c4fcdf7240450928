// What a grid can hold of split problems.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "plan.cuh"

#include <test/catch.hpp>

using namespace split_k;

TEST_CASE("split_k: no more splits than there are k-tiles, and than a grid can hold") {
  using C = split_k::Config<SmallTiles, 4, 8>;
  CHECK(clamp_splits<C>(1000, 200) == 4);
  CHECK(clamp_splits<C>(3, 0) == 1);
  CHECK(clamp_splits<C>(1 << 20, static_cast<int>(gemm::kLargestSize)) == 65535);
  // No overflow on the way to the last split of the largest K.
  constexpr int kTiles = gemm::kLargestSize / 32;
  CHECK(k_range(65534, 65535, kTiles).end == kTiles);
  CHECK(reduce_blocks(1 << 20, (1 << 19) - 1) == (1u << 31) - 4096);
  CHECK_THROWS_WITH(reduce_blocks(1 << 20, 1 << 20),
                    "split_k: 4294967296 blocks of the reduction exceed the largest grid "
                    "(2147483647 blocks)");
}

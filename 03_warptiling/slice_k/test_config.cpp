// Slice-K beyond the contract: who multiplies what.

#include "config.cuh"

#include <test/catch.hpp>

using slice_k::Config;
using slice_k::DividedTile;
using slice_k::SharedTile;

TEST_CASE("slice_k: the warps that share a tile divide the k-rows of a slice") {
  using Shared = Config<SharedTile, 8>;
  STATIC_REQUIRE(Shared::kThreads == 128);
  STATIC_REQUIRE(Shared::kThreadsOfTile == 32);
  STATIC_REQUIRE(Shared::kWarpsK * Shared::WK == Shared::BK);

  using Divided = Config<DividedTile, 8>;
  STATIC_REQUIRE(Divided::kThreads == Shared::kThreads);
  STATIC_REQUIRE(Divided::kWarpsK == 1);
}

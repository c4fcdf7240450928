// Chapter 03 beyond the contract: the geometry of its tiles, by the formulas of the page.

#include "config.cuh"

#include <test/catch.hpp>

using warptiling::Config;
using warptiling::LargeTiles;
using warptiling::SmallTiles;

TEST_CASE("03: a warp's tile is cut into the pieces that the page names") {
  using Large = Config<LargeTiles, 8>;
  STATIC_REQUIRE(Large::kThreads == 256);
  STATIC_REQUIRE((Large::WMITER == 2 && Large::WNITER == 4));
  STATIC_REQUIRE((Large::WSUBM == 32 && Large::WSUBN == 16));

  using Small = Config<SmallTiles, 8>;
  STATIC_REQUIRE(Small::kThreads == 128);
  STATIC_REQUIRE((Small::WMITER == 2 && Small::WNITER == 1));
  STATIC_REQUIRE((Small::WSUBM == 16 && Small::WSUBN == 32));
}

TEST_CASE("03: the vectors that the lanes of a warp store go to banks of their own") {
  // Neighbouring k-rows of a vector are a row of the tile apart; the next vector's are kSkew further.
  using Small = Config<SmallTiles, 8>;
  STATIC_REQUIRE(Small::kSkew == 16);
  STATIC_REQUIRE(Small::smem_row(7, 64) == 7 * 64);
  STATIC_REQUIRE(Small::smem_row(8, 64) == 8 * 64 + 16);
  STATIC_REQUIRE(Config<LargeTiles, 8>::kSkew == 0);
}

// Chapter 03 beyond the contract: the thread map deals a tile out exactly once, and puts the lanes of a
// warp where the page says.

#include "thread_map.hpp"

#include <test/catch.hpp>

#include <vector>

using warptiling::ThreadMap;

namespace {

// Every element of the tile is loaded by exactly one access.
template <int kStrided, int kContiguous, int kThreads, int kVector>
void check_covers_once() {
  using Map = ThreadMap<kStrided, kContiguous, kThreads, kVector>;
  CAPTURE(kStrided, kContiguous, kThreads, kVector);
  std::vector<int> touched(kStrided * kContiguous);
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int i = 0; i < Map::kIterations; ++i) {
      if (!Map::holds(thread, i)) continue;
      for (int v = 0; v < kVector; ++v) {
        ++touched.at(Map::row(thread, i) * kContiguous + Map::col(thread, i) + v);
      }
    }
  }
  CHECK(touched == std::vector<int>(kStrided * kContiguous, 1));
}

}  // namespace

TEST_CASE("03: a thread map covers its tile exactly once") {
  check_covers_once<128, 16, 256, 8>();
  check_covers_once<128, 16, 256, 1>();
  check_covers_once<128, 8, 256, 8>();   // more threads than vectors
  check_covers_once<256, 8, 256, 8>();
  check_covers_once<32, 32, 128, 8>();
  check_covers_once<64, 32, 128, 2>();
  check_covers_once<3, 2048, 256, 4>();  // a row needs several rounds
  check_covers_once<100, 16, 256, 1>();  // the last strip is incomplete
}

TEST_CASE("03: the map's shape, by the formulas of the page") {
  // 128 x 8 elements one by one over 256 threads: a row takes 8 threads, 32 rows at once.
  using Scalar = ThreadMap<128, 8, 256, 1>;
  STATIC_REQUIRE(Scalar::kIterationsStrided == 4);
  STATIC_REQUIRE(Scalar::kIterationsContiguous == 1);
  STATIC_REQUIRE(Scalar::kDeltaStrided == 32);

  // The same in vectors of 8: a row is one vector, and half of the threads have nothing to do.
  using Vectors = ThreadMap<128, 8, 256, 8>;
  STATIC_REQUIRE(Vectors::kIterations == 1);
  STATIC_REQUIRE(Vectors::holds(127, 0));
  STATIC_REQUIRE(!Vectors::holds(128, 0));

  // Rows longer than the block: every thread comes back, kThreads vectors further on.
  using Long = ThreadMap<2, 4096, 256, 8>;
  STATIC_REQUIRE(Long::kIterationsContiguous == 2);
  STATIC_REQUIRE(Long::kIterationsStrided == 2);
  STATIC_REQUIRE(Long::kDeltaContiguous == 2048);
  STATIC_REQUIRE(Long::col(1, 1) == 2056);
  STATIC_REQUIRE(Long::row(1, 2) == 1);
}

TEST_CASE("03: neighbouring threads load neighbouring vectors") {
  using Map = ThreadMap<128, 16, 256, 8>;
  CHECK(Map::row(0, 0) == 0);
  CHECK(Map::col(1, 0) == 8);
  CHECK(Map::row(1, 0) == 0);
  CHECK(Map::row(2, 0) == 1);
  CHECK(Map::col(2, 0) == 0);
}

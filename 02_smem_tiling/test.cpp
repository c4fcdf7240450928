// Chapter 02 beyond the contract: the thread map hands out a tile exactly once, in the shape that
// the page computes.

#include <gemm/thread_map.hpp>
#include <test/catch.hpp>

#include <vector>

using gemm::ThreadMap;

// Tiles that fill the threads exactly, that leave some without work, whose rows need several
// rounds, and whose last strip is incomplete.
TEMPLATE_TEST_CASE_SIG("02: the thread map covers every tile exactly once", "",
                       ((int kStrided, int kContiguous, int kThreads, int kVector), kStrided,
                        kContiguous, kThreads, kVector),
                       (128, 16, 256, 8), (128, 16, 256, 1), (128, 8, 256, 8), (256, 8, 256, 8),
                       (32, 32, 128, 8), (64, 32, 128, 2), (3, 2048, 256, 4), (100, 16, 256, 1)) {
  using Map = ThreadMap<kStrided, kContiguous, kThreads, kVector>;
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

TEST_CASE("02: the map's shape, by the formulas of the page") {
  // 128 x 8 elements one by one over 256 threads: a row takes 8 threads, 32 rows at once.
  using Scalar = gemm::ThreadMap<128, 8, 256, 1>;
  STATIC_REQUIRE(Scalar::kIterationsStrided == 4);
  STATIC_REQUIRE(Scalar::kIterationsContiguous == 1);
  STATIC_REQUIRE(Scalar::kDeltaStrided == 32);
  STATIC_REQUIRE(Scalar::col(1, 0) == 1);  // neighbouring threads load neighbours

  // The same in vectors of 8: a row is one vector, and half of the threads have nothing to do.
  using Vectors = gemm::ThreadMap<128, 8, 256, 8>;
  STATIC_REQUIRE(Vectors::kIterations == 1);
  STATIC_REQUIRE(Vectors::holds(127, 0));
  STATIC_REQUIRE(!Vectors::holds(128, 0));
}

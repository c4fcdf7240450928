// Chapter 02 beyond the contract: the thread map hands out a tile exactly once, in the shape that
// the page computes.

#include <gemm/thread_map.hpp>
#include <test/thread_map.hpp>

using gemm::ThreadMap;

TEST_CASE("02: the thread map covers every tile exactly once") {
  test::check_thread_map<gemm::ThreadMap>();
}

TEST_CASE("02: the map's shape, by the formulas of the page") {
  // 128 x 8 elements one by one over 256 threads: a row takes 8 threads, 32 rows at once.
  using Scalar = gemm::ThreadMap<128, 8, 256, 1>;
  STATIC_REQUIRE(Scalar::kIterationsStrided == 4);
  STATIC_REQUIRE(Scalar::kIterationsContiguous == 1);
  STATIC_REQUIRE(Scalar::kDeltaStrided == 32);

  // The same in vectors of 8: a row is one vector, and half of the threads have nothing to do.
  using Vectors = gemm::ThreadMap<128, 8, 256, 8>;
  STATIC_REQUIRE(Vectors::kIterations == 1);
  STATIC_REQUIRE(Vectors::holds(127, 0));
  STATIC_REQUIRE(!Vectors::holds(128, 0));

  // Rows longer than the block: every thread comes back, kThreads vectors further on.
  using Long = gemm::ThreadMap<2, 4096, 256, 8>;
  STATIC_REQUIRE(Long::kIterationsContiguous == 2);
  STATIC_REQUIRE(Long::kIterationsStrided == 2);
  STATIC_REQUIRE(Long::kDeltaContiguous == 2048);
  STATIC_REQUIRE(Long::col(1, 1) == 2056);
  STATIC_REQUIRE(Long::row(1, 2) == 1);
}

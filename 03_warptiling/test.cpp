// Chapter 03 beyond the contract: its thread map, and which tiles the default takes.


#include <harness/chapter.hpp>

#include <gemm/thread_map.hpp>
#include <test/thread_map.hpp>

using gemm::ThreadMap;

TEST_CASE("03: the thread map covers every tile exactly once") {
  test::check_thread_map<gemm::ThreadMap>();
}

TEST_CASE("03: the default chooses between the two tilings") {
  const auto& variants = harness::chapters().front().variants;
  REQUIRE(variants.size() == 3);
  CHECK(variants[0].name == "by_size");
  CHECK(variants[1].name == "large_tiles");
  CHECK(variants[2].name == "slice_k");
}

// Chapter 01 beyond the contract: what the registration promises.

#include <harness/chapter.hpp>

#include <test/catch.hpp>

TEST_CASE("01: the plainest mapping is the default, the contrasts follow") {
  const auto& chapters = harness::chapters();
  REQUIRE(chapters.size() == 1);
  const harness::Chapter& chapter = chapters.front();
  CHECK(chapter.name == "01_naive");
  REQUIRE(chapter.variants.size() == 3);
  CHECK(chapter.variants[0].name == "strided");
  CHECK(chapter.variants[1].name == "square");
  CHECK(chapter.variants[2].name == "coalesced");
}

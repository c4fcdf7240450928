// at<kLayout>(...), the form for device code, against the layout itself; all of it in constant
// expressions too.

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::test;

namespace {

constexpr Layout kPlain = right({6, 5});
constexpr Layout kNested{{{4, 8}, {2, {2, 3}}, 7}, {{32, 1}, {16, {8, 128}}, 1024}};
constexpr Swizzled kSwizzled = wgmma_tile(Major::kK, 128, 16, 64, 128);
constexpr Layout kBroadcast{{4, {1, 3}}, {0, {5, 2}}};

template <auto kLayout>
bool same_everywhere() {
  for (Int i = 0; i < kLayout.size(); ++i) {
    if (at<kLayout>(static_cast<unsigned>(i)) != kLayout(i)) return false;
    if (at<kLayout>(i) != kLayout(i)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("at agrees with the layout, with one index and with one per mode") {
  CHECK(same_everywhere<kPlain>());
  CHECK(same_everywhere<kNested>());
  CHECK(same_everywhere<kSwizzled>());
  CHECK(same_everywhere<kBroadcast>());
  CHECK(same_everywhere<Layout(1)>());
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 12; ++j) {
      REQUIRE(at<kSwizzled>(i, j) == kSwizzled(i, j));
      for (int k = 0; k < 7; ++k) REQUIRE(at<kNested>(i, j, k) == kNested(i, j, k));
      REQUIRE(at<kBroadcast>(i % 4, j % 3) == kBroadcast(i % 4, j % 3));
    }
  }
}

TEST_CASE("at is a constant expression and gives the index type's width") {
  STATIC_REQUIRE(at<kPlain>(5, 4) == 29);
  STATIC_REQUIRE(at<kSwizzled>(1, 0) == 64 + 8);
  STATIC_REQUIRE(std::is_same_v<decltype(at<kPlain>(5u, 4)), int>);
  STATIC_REQUIRE(std::is_same_v<decltype(at<kPlain>(Int{5}, 4)), Int>);
}

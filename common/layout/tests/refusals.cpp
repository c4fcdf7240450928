// What the algebra refuses, and that the reason is named with its numbers.

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::test;

TEST_CASE("refusals name the divisibility that fails") {
  // The complement of 4:1 in 20 is 5:4, and (4,5):(1,4) does not compose with an extent of 5.
  CHECK(refusal([] {
          logical_divide(Layout{{5, 4}, {1, 30}}, Layout(4));
        }) == "compose((5,4):(1,30), (4,5):(1,4)): the mode 5:4 does not fit, 4 does not divide 5");
  // The complement in 160 is (6,2):(5,120), and 4:2 counts over 6 in steps of 2, 3 of them.
  CHECK(refusal([] {
          logical_product({{4, 5}, {30, 1}}, left({2, 4}));
        }) ==
        "compose((6,2):(5,120), (2,4):(1,2)): the mode 4:2 does not fit, 3 does not divide 4");
  CHECK(refusal([] {
          complement_strict({{4, 3}, {4, 1}}, 24);
        }) == "complement((4,3):(4,1), 24): 3 does not divide the stride 4");
  CHECK(refusal([] {
          blocked_product_strict({{4, 3}, {4, 1}}, left({2, 2}));
        }) == "complement((4,3):(4,1), 48): 3 does not divide the stride 4");
  CHECK(refusal([] {
          raked_product_strict({{4, 3}, {4, 1}}, left({2, 2}));
        }) == "complement((4,3):(4,1), 48): 3 does not divide the stride 4");
  CHECK(refusal([] { complement_strict(Layout(4), 10); }) ==
        "complement(4:1, 10): 4 does not divide 10");
  CHECK(refusal([] {
          complement({{4, 4}, {1, 2}}, 64);
        }) ==
        "complement((4,4):(1,2), 64): the mode 4:2 starts inside the 4 elements of the modes "
        "before it");
  CHECK(refusal([] {
          complement({{4, 3}, {1, 3}}, 24);
        }) ==
        "complement((4,3):(1,3), 24): the mode 3:3 starts inside the 4 elements of the modes "
        "before it");
  CHECK(refusal([] { logical_divide(10, 4); }) == "complement(4:1, 10): 4 does not divide 10");
  CHECK(refusal([] {
          compose({{4, 6}, {6, 1}}, {4, 3});
        }) == "compose((4,6):(6,1), 4:3): the mode 4:3 does not fit, 3 does not divide 4");
  CHECK(refusal([] {
          compose({{4, 6}, {6, 1}}, {3, 6});
        }) == "compose((4,6):(6,1), 3:6): the mode 3:6 does not fit, 4 does not divide 6");
}

TEST_CASE("composition refuses what would be a wrong layout") {
  CHECK(refusal([] { compose(4, 8); }) ==
        "compose(4:1, 8:1): B reaches 7, the domain of A ends at 3");
  CHECK(compose_extended(4, 8) == Layout(8));
  // Each mode of B composes, but their sum carries: A(2 + 2) is not A(2) + A(2).
  CHECK(refusal([] {
          compose({{4, 4}, {4, 1}}, {{3, 2}, {1, 2}});
        }) ==
        "compose((4,4):(4,1), (3,2):(1,2)): the modes of B together reach 4 in the mode 4:4 and "
        "would carry into the "
        "next");
}

TEST_CASE("inverses refuse gaps and repetitions") {
  CHECK(refusal([] {
          inverse({{2, 3}, {6, 2}});
        }) ==
        "inverse((2,3):(6,2)): not a bijection of [0, 6), no mode of stride 1 continues the values "
        "0 to 0");
  CHECK(refusal([] {
          inverse({{2, 3}, {1, 0}});
        }) ==
        "inverse((2,3):(1,0)): not a bijection of [0, 6), no mode of stride 2 continues the values "
        "0 to 1");
  CHECK(refusal([] {
          left_inverse({{2, 3}, {1, 3}});
        }) == "complement((2,3):(1,3), 9): 2 does not divide the stride 3");
  CHECK(refusal([] { left_inverse({4, 0}); }) != "accepted");
}

TEST_CASE("divides and tiles refuse what does not fit") {
  CHECK(refusal([] {
          logical_divide({8, 1}, {4, 0});
        }) == "logical_divide(8:1, 4:0): the tile repeats values, 4 times 8 tiles are not 8");
  CHECK(refusal([] {
          zipped_divide(left({8, 8}), Tile(4, 4, 4));
        }) == "logical_divide: the tile <4:1,4:1,4:1> has 3 modes, (8,8):(1,8) has 2");
  CHECK(refusal([] {
          tile_to_shape(left({8, 3}), {64, 64});
        }) == "tile_to_shape((8,3):(1,8), (64,64)): the extent 3 of mode 1 does not divide 64");
  CHECK(refusal([] {
          recast({{8, 1}, {1, 1}}, 128, 16);
        }) == "recast((8,1):(1,1)): 2 modes have stride 1, cutting elements needs exactly one");
  CHECK(refusal([] {
          recast({{8, 12}, {12, 1}}, 16, 128);
        }) == "recast((8,12):(12,1)): the stride 12 and 8, neither divides the other");
  CHECK(refusal([] {
          recast(Layout{8, 8}, 16, 128);
        }) == "recast(8:8): 8 elements do not fill 8 of 8 times the width");
  CHECK(refusal([] { recast(Layout(12), 16, 128); }) ==
        "recast(12:1): the extent 12 and 8, neither divides the other");
  CHECK(refusal([] { recast(Layout(12), 16, 24); }) ==
        "recast(12:1): 16 and 24 bits, neither divides the other");
  CHECK(refusal([] {
          recast(Swizzled(Swizzle{3, 2, 3}, {{8, 64}, {64, 1}}), 16, 128);
        }) ==
        "recast(Sw<3,2,3> o (8,64):(64,1)): 8 elements become one, the swizzle keeps only 4 "
        "together");
}

TEST_CASE("layouts refuse nonsense") {
  CHECK(refusal([] {
          Layout({2, 3}, {1, {2, 3}});
        }) == "shape (2,3) and stride (1,(2,3)) are not nested alike");
  CHECK(refusal([] {
          Layout({2, 0}, {1, 2});
        }) == "the shape (2,0) has an extent of 0, at least 1 is needed");
  CHECK(refusal([] { IntTuple(-1); }) == "the integer -1 is outside [0, 2^48]");
  CHECK(refusal([] {
          left({Int{1} << 30, Int{1} << 30});
        }) == "overflow: 1073741824 * 1073741824 exceeds 2^48");
  CHECK(refusal([] {
          index({1, 2, 3}, {2, 3});
        }) == "the coordinate (1,2,3) has rank 3, the shape (2,3) has rank 2");
  CHECK(refusal([] {
          right({2, 3})(IntTuple{1, 2, 3});
        }) == "the coordinate (1,2,3) has rank 3, the layout has rank 2");
  CHECK(refusal([] {
          IntTuple many = IntTuple::empty();
          for (int i = 0; i < 60; ++i) many.push(1);
        }) == "a nested tuple of more than 48 nodes");
  CHECK(refusal([] {
          group_modes(left({2, 3}), 1, 3);
        }) == "group_modes: modes 1 to 3 of a layout of rank 2");
  CHECK(refusal([] { Swizzle(3, 0, 2); }) == "Sw<3,0,2>: B = 3 exceeds S = 2");
  CHECK(refusal([] { Swizzle(3, 20, 8); }) == "Sw<3,20,8>: B + M + S is at most 30");
  CHECK(refusal([] { Swizzle(2, -1, 2); }) == "Sw<2,-1,2>: negative parameter");
  CHECK(refusal([] { RowMajor{8}.layout(4, 9); }) ==
        "row-major: a leading dimension of 8 is below 9 columns");
  CHECK(refusal([] { ColumnMajor{8}.layout(9, 4); }) ==
        "column-major: a leading dimension of 8 is below 9 rows");
}

TEST_CASE("a refusal fails the constant evaluation") {
  STATIC_REQUIRE(is_constant([](auto) {
    return logical_divide(Layout{{5, 4}, {1, 30}}, Layout(5));
  }));
  STATIC_REQUIRE_FALSE(is_constant([](auto) {
    return logical_divide(Layout{{5, 4}, {1, 30}}, Layout(4));
  }));
  STATIC_REQUIRE(is_constant([](auto) { return logical_product({{4, 5}, {5, 1}}, left({2, 4})); }));
  STATIC_REQUIRE_FALSE(is_constant([](auto) {
    return logical_product({{4, 5}, {30, 1}}, left({2, 4}));
  }));
  STATIC_REQUIRE_FALSE(is_constant([](auto) { return Swizzle(3, 0, 2); }));
  STATIC_REQUIRE_FALSE(is_constant([](auto) { return Layout({2, 3}, {1, {2, 3}}); }));
}

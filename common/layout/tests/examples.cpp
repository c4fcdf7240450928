// The worked examples, with their numbers. Where a source prints another value than the one here, a
// comment says why.

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::test;

namespace {
// Leaves 3, 7 and 11 empty.
constexpr Layout kBase{{4, 3}, {4, 1}};
}  // namespace

TEST_CASE("coordinates and integers") {
  STATIC_REQUIRE(coordinate(4, {2, 3}) == IntTuple{0, 2});
  STATIC_REQUIRE(coordinate(5, {2, 3}) == IntTuple{1, 2});
  STATIC_REQUIRE(index({0, 2}, {2, 3}) == 4);
  STATIC_REQUIRE(index({1, {1, 0}}, {2, {2, 3}}) == 3);
  STATIC_REQUIRE(index({1, 2}, {2, {2, 3}}) == 5);
  STATIC_REQUIRE(coordinate(7, {2, {2, 3}}) == IntTuple{1, {1, 1}});
  STATIC_REQUIRE(coordinate(6, {2, 3}) == IntTuple{0, 3});
  CHECK(to_string(IntTuple{4, {2, 2}}) == "(4,(2,2))");
  STATIC_REQUIRE(IntTuple{4, {2, 2}}.rank() == 2);
  STATIC_REQUIRE(IntTuple{4, {2, 2}}.depth() == 2);
  STATIC_REQUIRE(IntTuple(4).depth() == 0);
  STATIC_REQUIRE(IntTuple{4, {2, 2}}.product() == 16);
}

TEST_CASE("layout left and right") {
  STATIC_REQUIRE(left({2, 3}) == Layout{{2, 3}, {1, 2}});
  STATIC_REQUIRE(right({2, 3}) == Layout{{2, 3}, {3, 1}});
  STATIC_REQUIRE(left({2, {3, 4}}) == Layout{{2, {3, 4}}, {1, {2, 6}}});
  STATIC_REQUIRE(left({1, 8}) == Layout{{1, 8}, {0, 1}});  // an extent of 1 does not move
  constexpr Layout kRight = right({2, 3});
  STATIC_REQUIRE(kRight(1, 2) == 5);
  STATIC_REQUIRE(kRight(IntTuple{1, 2}) == 5);
  STATIC_REQUIRE(kRight(3) == 4);
  STATIC_REQUIRE(kRight.size() == 6);
  STATIC_REQUIRE(Layout{{2, 3}, {2, 4}}.cosize() == 11);
  constexpr Layout kNested{{4, {2, 2}}, {2, {1, 8}}};
  CHECK(to_string(kNested) == "(4,(2,2)):(2,(1,8))");
  CHECK(image(kNested) == std::vector<Int>{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15});
}

TEST_CASE("coalesce and concat") {
  STATIC_REQUIRE(coalesce({{2, 3}, {1, 2}}) == Layout(6));
  STATIC_REQUIRE(coalesce({{2, 1, 3}, {3, 7, 1}}) == Layout{{2, 3}, {3, 1}});
  STATIC_REQUIRE(coalesce({{2, {1, 6}}, {1, {6, 2}}}) == Layout(12));
  STATIC_REQUIRE(coalesce({{1, 1}, {3, 4}}) == Layout(1));
  STATIC_REQUIRE(concat({{2, 3}, {1, 2}}, {4, 10}) == Layout{{2, 3, 4}, {1, 2, 10}});
  STATIC_REQUIRE(bundle(Layout{{2, 3}, {1, 2}}, Layout{4, 10}) ==
                 Layout{{{2, 3}, 4}, {{1, 2}, 10}});
  STATIC_REQUIRE(coalesce_modes({{{2, 2}, 3}, {{1, 2}, 8}}) == Layout{{4, 3}, {1, 8}});
}

TEST_CASE("complement") {
  STATIC_REQUIRE(complement({4, 2}, 8) == Layout(2));
  STATIC_REQUIRE(concat(Layout{4, 2}, complement({4, 2}, 8)) == Layout{{4, 2}, {2, 1}});
  STATIC_REQUIRE(complement({{2, 3}, {2, 4}}, 24) == Layout{{2, 2}, {1, 12}});
  STATIC_REQUIRE(complement_strict({{2, 3}, {2, 4}}, 24) == Layout{{2, 2}, {1, 12}});
  STATIC_REQUIRE(complement(Layout(4), 20) == Layout{5, 4});
  STATIC_REQUIRE(complement({{4, 5}, {30, 1}}, 160) == Layout{{6, 2}, {5, 120}});
  STATIC_REQUIRE(complement(kBase, 24) == Layout{2, 16});
}

TEST_CASE("composition") {
  // A source also prints (2,2,4):(1,8,2) for this one: wrong. Its own table has thread 0 at 0, 4,
  // 2, 6, as here.
  constexpr Layout kMemory = compose({{4, 4}, {4, 1}}, {{4, 2, 2}, {2, 1, 8}});
  STATIC_REQUIRE(kMemory == Layout{{{2, 2}, 2, 2}, {{8, 1}, 4, 2}});
  CHECK(image(kMemory) == std::vector<Int>{0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15});
  CHECK(std::vector<Int>{kMemory(0, 0, 0), kMemory(0, 1, 0), kMemory(0, 0, 1), kMemory(0, 1, 1)} ==
        std::vector<Int>{0, 4, 2, 6});
  STATIC_REQUIRE(compose_extended(Layout{3, 16}, Layout{{2, 2}, {1, 2}}) ==
                 Layout{{2, 2}, {16, 32}});
  // 3 does not divide 8, but 2:3 stays inside the first mode: a composition exists.
  STATIC_REQUIRE(compose({{8, 2}, {1, 100}}, {2, 3}) == Layout{2, 3});
}

TEST_CASE("inverses") {
  constexpr Layout kInverse = right_inverse({{2, 3}, {3, 1}});
  STATIC_REQUIRE(kInverse == Layout{{3, 2}, {2, 1}});
  STATIC_REQUIRE(inverse({{2, 3}, {3, 1}}) == kInverse);
  CHECK(image(kInverse) == std::vector<Int>{0, 2, 4, 1, 3, 5});
  STATIC_REQUIRE(right_inverse({{2, 3}, {6, 2}}) == Layout(1));
  STATIC_REQUIRE(right_inverse({{4, 2}, {1, 8}}) == Layout(4));
  STATIC_REQUIRE(left_inverse({{2, 2}, {1, 4}}) == Layout{{2, 2, 2}, {1, 4, 2}});
  STATIC_REQUIRE(with_shape({{4, 32, 8}, {256, 1, 32}}, {128, 8}) ==
                 Layout{{{4, 32}, 8}, {{256, 1}, 32}});
}

TEST_CASE("divides") {
  STATIC_REQUIRE(logical_divide({24, 1}, {4, 2}) == Layout{{4, {2, 3}}, {2, {1, 8}}});
  STATIC_REQUIRE(logical_divide(Layout{{8, 6}, {6, 1}}, Tile(4, 3)) ==
                 Layout{{{4, 2}, {3, 2}}, {{6, 24}, {1, 3}}});
  STATIC_REQUIRE(zipped_divide(Layout{{8, 6}, {6, 1}}, Tile(4, 3)) ==
                 Layout{{{4, 3}, {2, 2}}, {{6, 1}, {24, 3}}});
  STATIC_REQUIRE(tiled_divide(Layout{{8, 6}, {6, 1}}, Tile(4, 3)) ==
                 Layout{{{4, 3}, 2, 2}, {{6, 1}, 24, 3}});
  // ((TileM,TileN),(RestM,RestN,L)): a mode without a tile stays with the rest.
  STATIC_REQUIRE(zipped_divide(left({8, 6, 5}), Tile(4, 3)) ==
                 Layout{{{4, 3}, {2, 2, 5}}, {{1, 8}, {4, 24, 48}}});
}

TEST_CASE("products") {
  STATIC_REQUIRE(logical_product({{2, 5}, {5, 1}}, Tile(Layout{3, 5}, Layout{4, 6})) ==
                 Layout{{{2, 3}, {5, 4}}, {{5, 10}, {1, 30}}});
  STATIC_REQUIRE(logical_product({{32, 4}, {4, 1}}, {{2, 8}, {8, 1}}) ==
                 Layout{{{32, 4}, {2, 8}}, {{4, 1}, {1024, 128}}});
  STATIC_REQUIRE(raked_product({{32, 4}, {4, 1}}, {{2, 8}, {8, 1}}) ==
                 Layout{{{2, 32}, {8, 4}}, {{1024, 4}, {128, 1}}});
}

TEST_CASE("the shapes of the five products") {
  constexpr Layout kA{{2, 5}, {5, 1}};
  constexpr Layout kB{{3, 4}, {1, 3}};
  STATIC_REQUIRE(logical_product(kA, kB).shape == IntTuple{{2, 5}, {3, 4}});
  STATIC_REQUIRE(zipped_product(kA, kB).shape == IntTuple{{2, 5}, {3, 4}});
  STATIC_REQUIRE(tiled_product(kA, kB).shape == IntTuple{{2, 5}, 3, 4});
  STATIC_REQUIRE(blocked_product(kA, kB).shape == IntTuple{{2, 3}, {5, 4}});
  STATIC_REQUIRE(raked_product(kA, kB).shape == IntTuple{{3, 2}, {4, 5}});
  // One extent has one stride in all of them.
  STATIC_REQUIRE(logical_product(kA, kB).stride == IntTuple{{5, 1}, {10, 30}});
  STATIC_REQUIRE(tiled_product(kA, kB).stride == IntTuple{{5, 1}, 10, 30});
  STATIC_REQUIRE(blocked_product(kA, kB).stride == IntTuple{{5, 10}, {1, 30}});
  STATIC_REQUIRE(raked_product(kA, kB).stride == IntTuple{{10, 5}, {30, 1}});
  STATIC_REQUIRE(zipped_product(kA, Tile(Layout{3, 5}, Layout{4, 6})) ==
                 Layout{{{2, 5}, {3, 4}}, {{5, 1}, {10, 30}}});
}

TEST_CASE("the order of extension matters in a blocked product") {
  constexpr Layout kWide = blocked_product(kBase, left({1, 2}));
  STATIC_REQUIRE(kWide == Layout{{{4, 1}, {3, 2}}, {{4, 0}, {1, 16}}});
  STATIC_REQUIRE(blocked_product(kWide, left({2, 1})) ==
                 Layout{{{{4, 1}, 2}, {{3, 2}, 1}}, {{{4, 0}, 32}, {{1, 16}, 0}}});
  STATIC_REQUIRE(blocked_product(kBase, left({2, 2})) ==
                 Layout{{{4, 2}, {3, 2}}, {{4, 16}, {1, 32}}});
  // The base leaves 3, 7 and 11 empty; rounding keeps the copies apart all the same.
  const std::vector<Int> base = image(kBase);
  CHECK(std::count(base.begin(), base.end(), 3) == 0);
  const std::vector<Int> values = sorted(image(blocked_product(kBase, left({2, 2}))));
  CHECK(std::adjacent_find(values.begin(), values.end()) == values.end());
}

TEST_CASE("tile_to_shape, in 16-byte units and in fp16") {
  STATIC_REQUIRE(tile_to_shape({{8, 1}, {1, 1}}, {64, 2}) ==
                 Layout{{{8, 8}, {1, 2}}, {{1, 8}, {1, 64}}});
  STATIC_REQUIRE(tile_to_shape({{2, 2}, {2, 1}}, {4, 4}) ==
                 Layout{{{2, 2}, {2, 2}}, {{2, 4}, {1, 8}}});
  STATIC_REQUIRE(tile_to_shape({{2, 2}, {2, 1}}, {4, 4}, {1, 0}) ==
                 Layout{{{2, 2}, {2, 2}}, {{2, 8}, {1, 4}}});
  STATIC_REQUIRE(tile_to_shape(Swizzled(Swizzle{1, 0, 1}, {{2, 2}, {2, 1}}), {4, 2}) ==
                 Swizzled(Swizzle{1, 0, 1}, {{{2, 2}, {2, 1}}, {{2, 4}, {1, 8}}}));
  STATIC_REQUIRE(tile_to_shape(Swizzled(Swizzle{3, 3, 3}, {{8, 64}, {64, 1}}), {128, 64}) ==
                 Swizzled(Swizzle{3, 3, 3}, {{{8, 16}, {64, 1}}, {{64, 512}, {1, 8192}}}));
}

TEST_CASE("recast") {
  STATIC_REQUIRE(recast({{8, 64}, {64, 1}}, 16, 128) == Layout{{8, 8}, {8, 1}});
  STATIC_REQUIRE(recast({{8, 8}, {8, 1}}, 128, 16) == Layout{{8, 64}, {64, 1}});
  STATIC_REQUIRE(recast({{32, 128}, {128, 1}}, 1, 16) == Layout{{32, 8}, {8, 1}});
  STATIC_REQUIRE(recast({{2, 4}, {1, 2}}, 16, 128) == Layout{{1, 1}, {1, 1}});
  STATIC_REQUIRE(recast(Swizzled(Swizzle{3, 3, 3}, {{8, 64}, {64, 1}}), 16, 128) ==
                 Swizzled(Swizzle{3, 0, 3}, {{8, 8}, {8, 1}}));
  STATIC_REQUIRE(recast(Swizzled(Swizzle{3, 0, 3}, {{8, 8}, {8, 1}}), 128, 16) ==
                 Swizzled(Swizzle{3, 3, 3}, {{8, 64}, {64, 1}}));
}

TEST_CASE("row-major and column-major matrices") {
  STATIC_REQUIRE(ColumnMajor{32}.offset({7, 23}) == 743);
  STATIC_REQUIRE(RowMajor{32}.offset({7, 23}) == 247);
  STATIC_REQUIRE(ColumnMajor{32}.inverse(743) == MatrixCoord{7, 23});
  STATIC_REQUIRE(RowMajor{32}.inverse(247) == MatrixCoord{7, 23});
  STATIC_REQUIRE(RowMajor{32}.capacity(10, 24) == 320);
  STATIC_REQUIRE(ColumnMajor{32}.capacity(10, 24) == 768);
  STATIC_REQUIRE(RowMajor{32}.layout(10, 24) == Layout{{10, 24}, {32, 1}});
  STATIC_REQUIRE(ColumnMajor{32}.layout(24, 10)(7, 9) == ColumnMajor{32}.offset({7, 9}));
}

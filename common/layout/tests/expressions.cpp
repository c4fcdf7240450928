// Expressions and what they come to, in the notation of the tool: the worked examples with their
// numbers, what the algebra refuses, and errors of syntax. Where a source prints another value than
// the one here, a comment says why.

#include <layout/tool/result.hpp>

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::tool;

// The result in one line, or why there is none.
static std::string value_of(const std::string& expression) {
  try {
    std::string line = as_text(make_result(evaluate(expression)), true);
    return line.substr(0, line.find('\n'));
  } catch (const Refused& refused) {
    return refused.what();
  }
}

static void check(std::initializer_list<std::pair<const char*, const char*>> cases) {
  for (const auto& [expression, expected] : cases) {
    CAPTURE(expression);
    CHECK(value_of(expression) == expected);
  }
}

TEST_CASE("worked examples") {
  check({{"coordinate(6, (2,3))", "(0,3)"},
         {"coordinate(7, (2,(2,3)))", "(1,(1,1))"},
         {"index((1,2), (2,(2,3)))", "5"},
         {"left((1,8))", "(1,8):(0,1)"},  // an extent of 1 does not move
         {"at(right((2,3)), (1,2))", "5"},
         {"at(Sw<3,3,3> o (8,64):(64,1), (1,0))", "72"},
         {"cosize((2,3):(2,4))", "11"},
         {"coalesce((2,1,3):(3,7,1))", "(2,3):(3,1)"},
         {"coalesce((2,(1,6)):(1,(6,2)))", "12:1"},
         {"bundle((2,3):(1,2), 4:10)", "((2,3),4):((1,2),10)"},
         {"mode(Sw<1,0,1> o (2,3):(3,1), 1)", "Sw<1,0,1> o 3:1"},
         {"mode((2,(3,4)), 1)", "(3,4):(2,6)"},
         {"group_modes((2,4,4):(1,4,32), 1, 3)", "(2,(4,4)):(1,(4,32))"},
         {"complement_strict((2,3):(2,4), 24)", "(2,2):(1,12)"},
         {"complement((4,5):(30,1), 160)", "(6,2):(5,120)"},
         {"complement((4,3):(4,1), 24)", "2:16"},
         // A source also prints (2,2,4):(1,8,2) for this one: wrong. Its own table has thread 0 at
         // 0, 4, 2, 6, as here.
         {"(4,4):(4,1) o (4,2,2):(2,1,8)", "((2,2),2,2):((8,1),4,2)"},
         {"compose_extended(3:16, (2,2):(1,2))", "(2,2):(16,32)"},
         // 3 does not divide 8, but 2:3 stays inside the first mode: a composition exists.
         {"compose((8,2):(1,100), 2:3)", "2:3"},
         {"compose((8,8):(8,1), <4,8>)", "(4,8):(8,1)"},
         {"inverse((2,3):(3,1))", "(3,2):(2,1)"},
         {"right_inverse((4,2):(1,8))", "4:1"},
         {"left_inverse((2,2):(1,4))", "(2,2,2):(1,4,2)"},
         {"with_shape((4,32,8):(256,1,32), (128,8))", "((4,32),8):((256,1),32)"},
         {"logical_divide(24:1, 4:2)", "(4,(2,3)):(2,(1,8))"},
         {"tiled_divide((8,6):(6,1), <4,3>)", "((4,3),2,2):((6,1),24,3)"},
         // ((TileM,TileN),(RestM,RestN,L)): a mode without a tile stays with the rest.
         {"zipped_divide((8,6,5), <4,3>)", "((4,3),(2,2,5)):((1,8),(4,24,48))"},
         {"logical_product((2,5):(5,1), (3,4))", "((2,5),(3,4)):((5,1),(10,30))"},
         // The order of extension matters; the base leaves 3, 7 and 11 empty.
         {"logical_product_strict((4,3):(3,1), 2)", "((4,3),2):((3,1),12)"},
         {"tile_to_shape((8,1):(1,1), (64,2))", "((8,8),(1,2)):((1,8),(1,64))"},
         {"tile_to_shape((2,2):(2,1), (4,4), (1,0))", "((2,2),(2,2)):((2,8),(1,4))"},
         {"tile_to_shape(Sw<3,3,3> o (8,64):(64,1), (128,64), (0,1))",
          "Sw<3,3,3> o ((8,16),(64,1)):((64,512),(1,8192))"},
         {"recast((2,4):(1,2), 16, 128)", "(1,1):(1,1)"},
         {"recast(Sw<3,3,3> o (8,64):(64,1), 16, 128)", "Sw<3,0,3> o (8,8):(8,1)"},
         {"recast(Sw<3,0,3> o (8,8):(8,1), 128, 16)", "Sw<3,3,3> o (8,64):(64,1)"},
         {"swizzle_for(128, 32, 1)", "Sw<5,0,7>"},
         {"swizzle_for(128, 32, 4)", "Sw<3,2,5>"},
         {"swizzle_for(32, 16, 8) o (8,32):(32,1)", "Sw<2,3,3> o (8,32):(32,1)"},
         {"logical_divide(Sw<1,0,1> o (4,4), <2,2>)", "Sw<1,0,1> o ((2,2),(2,2)):((1,2),(4,8))"},
         {"ldmatrix_source(4)", "(32,8):(8,1)"},
         {"ldmatrix_destination(4)", "(32,(2,4)):(2,(1,64))"},
         {"ldmatrix_destination(4, 32)", "(32,4):(1,32)"},
         {"mma_a", "((4,8),(2,2,2)):((32,1),(16,8,128))"},
         {"partition(right((8,8)), tiled_copy((2,2), (1,2)))", "((2,2),2,4,2):((8,2),1,16,4)"},
         {"partition_shape((128,32), tiled_copy((32,4):(4,1), (1,8)))", "(8,4,1)"},
         {"conflicts((8,32):(32,1), 16, 8)", "4"},
         {"conflicts(swizzle_for(32, 16, 8) o (8,32):(32,1), 16, 8)", "1"},
         {"require_vector(partition(right((8,8)), tiled_copy((2,2), (1,2))), 2)",
          "((2,2),2,4,2):((8,2),1,16,4)"},
         {"wgmma_atom_k(0, 128)", "(8,1):(1,1)"},
         {"wgmma_atom_k(32, 128)", "Sw<1,0,3> o (8,2):(2,1)"},
         {"wgmma_atom_mn(64, 128)", "Sw<2,0,3> o (4,8):(1,4)"}});
}

TEST_CASE("refusals name the divisibility that fails") {
  check(
      {// The complement of 4:1 in 20 is 5:4, and (4,5):(1,4) does not compose with an extent of 5.
       // The complement in 160 is (6,2):(5,120), and 4:2 counts over 6 in steps of 2, 3 of them.
       {"complement_strict((4,3):(4,1), 24)",
        "complement((4,3):(4,1), 24): 3 does not divide the stride 4"},
       {"raked_product_strict(4:2, 3)", "complement((4):(2), 12): 8 does not divide 12"},
       {"complement((4,4):(1,2), 64)",
        "complement((4,4):(1,2), 64): the mode 4:2 starts inside the 4 elements of the modes "
        "before it"},
       {"complement(4, 0)", "complement(4:1, 0): fill at least 1 element"},
       {"compose((4,6):(6,1), 3:6)",
        "compose((4,6):(6,1), 3:6): the mode 3:6 does not fit, 4 does not divide 6"},
       {"compose(4, 8)", "compose(4:1, 8:1): B reaches 7, the domain of A ends at 3"},
       // Each mode of B composes, but their sum carries: A(2 + 2) is not A(2) + A(2).
       {"compose((4,4):(4,1), (3,2):(1,2))",
        "compose((4,4):(4,1), (3,2):(1,2)): the modes of B together reach 4 in the mode 4:4 and "
        "would carry into the next"},
       {"inverse((2,3):(6,2))",
        "inverse((2,3):(6,2)): not a bijection of [0, 6), no mode of stride 1 continues the values "
        "0 to 0"},
       {"left_inverse((2,3):(1,3))", "complement((2,3):(1,3), 9): 2 does not divide the stride 3"},
       {"logical_divide(8, 4:0)",
        "logical_divide(8:1, 4:0): the tile repeats values, 4 times 8 tiles are not 8"},
       {"zipped_divide((8,8), <4,4,4>)",
        "logical_divide: the tile <4:1,4:1,4:1> has 3 modes, (8,8):(1,8) has 2"},
       {"tile_to_shape((8,3), (64,64))",
        "tile_to_shape((8,3):(1,8), (64,64)): the extent 3 of mode 1 does not divide 64"},
       {"recast((8,1):(1,1), 128, 16)",
        "recast((8,1):(1,1)): 2 modes have stride 1, cutting elements needs exactly one"},
       {"recast((8,12):(12,1), 16, 128)",
        "recast((8,12):(12,1)): the stride 12 and 8, neither divides the other"},
       {"recast(8:8, 16, 128)", "recast(8:8): 8 elements do not fill 8 of 8 times the width"},
       {"recast(12, 16, 128)", "recast(12:1): the extent 12 and 8, neither divides the other"},
       {"recast(12, 16, 24)", "recast(12:1): 16 and 24 bits, neither divides the other"},
       {"recast(Sw<3,2,3> o (8,64):(64,1), 16, 128)",
        "recast(Sw<3,2,3> o (8,64):(64,1)): 8 elements become one, the swizzle keeps only 4 "
        "together"},
       {"(2,0):(1,2)", "the shape (2,0) has an extent of 0, at least 1 is needed"},
       {"(1073741824,1073741824)", "overflow: 1073741824 * 1073741824 exceeds 2^48"},
       {"index((1,2,3), (2,3))", "the coordinate (1,2,3) has rank 3, the shape (2,3) has rank 2"},
       {"at((2,3), (1,2,3))", "the coordinate (1,2,3) has rank 3, the layout has rank 2"},
       {"coordinate(3, (0,2))", "a shape of extent 0 has no coordinates: (0,2)"},
       {"group_modes((2,3), 1, 3)", "group_modes: modes 1 to 3 of a layout of rank 2"},
       {"mode((2,3), 2)", "entry 2 of a tuple of rank 2"},
       {"Sw<3,0,2>", "Sw<3,0,2>: B = 3 exceeds S = 2"},
       {"Sw<3,20,8>", "Sw<3,20,8>: B + M + S is at most 30"},
       {"swizzle_for(4, 16, 8)", "swizzle_for_columns: a row of 4 is shorter than a vector of 8"},
       {"ldmatrix_source(3)", "ldmatrix.x3: there are x1, x2 and x4"},
       {"ldmatrix_destination_trans(4, 8)", "ldmatrix.trans moves 16-bit elements, not 8-bit ones"},
       {"wgmma_d(12)", "wgmma: N = 12 is not a multiple of 8 from 8 to 256"},
       {"tiled_mma_b((2,2,1), <32,24,16>)",
        "tiled_mma: 2 atoms of 8 in mode 1 do not divide the tile's 24"},
       {"retile(8, 8, 8:2)", "retile: 8:1 and 8:2 do not hold the same positions"},
       {"wgmma_atom_k(96, 16)", "wgmma: a swizzle of 96 bytes, there are 0 (none), 32, 64 and 128"},
       {"wgmma_atom_mn(64, 8)", "wgmma: MN-major operands have 16-bit elements, not 8-bit ones"},
       {"wgmma_tile_mn(64, 16, (64,8))",
        "wgmma: Sw<2,3,3> o ((32,2),(8,1)):((1,256),(32,512)) is 8 units long in k, one "
        "instruction takes 16"}});
}

TEST_CASE("the grammar") {
  check({{"  ( 4 , ( 2,2 ) ) : ( 2 , ( 1 , 8 ) )  ", "(4,(2,2)):(2,(1,8))"},
         {"(_4,(_2,_2)):(_2,(_1,_8))", "(4,(2,2)):(2,(1,8))"},  // as CuTe prints constants
         {"8:2 o 8:1 o 4:2", "4:4"},                            // from the right
         {"(8:2 o 8:1) o 4:2", "4:4"},
         {"((compose(8:2,8:1)))", "8:2"},
         {"Swizzle<2,3,3> o left((8,32))", "Sw<2,3,3> o (8,32):(1,8)"}});
}

TEST_CASE("errors of syntax point at their column") {
  std::string wide = "(1", deep(200, '(');
  for (int i = 0; i < 100; ++i) wide += ",1";
  wide += ")";
  check({{"(4,", "column 4: expected an integer, found the end"},
         {"(4,2", "column 5: expected ')', found the end"},
         {"(4,\x01", "column 4: expected an integer, found an unprintable character"},
         {"(4,2):(1,(2,3))", "column 7: the stride (1,(2,3)) is not nested as the shape (4,2)"},
         {"(4,2):(1,2) (3)", "column 13: expected 'o' or the end of the expression"},
         {"coalesc((2,3))", "column 1: there is no function 'coalesc'"},
         {"complement(4:2)",
          "column 1: complement is called as complement(L,M), here with 1 arguments"},
         {"complement(4:2, (2,3))", "column 17: expected an integer, found (2,3)"},
         {"complement(4:2, 4:1)", "column 17: expected an integer or a tuple of integers"},
         {"compose(4:1, Sw<1,0,1>)", "column 14: expected a layout, found a swizzle alone"},
         {"compose(4:1, Sw<1,0,1> o 4:1)", "column 14: expected a layout without a swizzle"},
         {"coalesce(<4>)", "column 10: expected a layout, found a tile"},
         {"tiled_mma_a((2,2,1), 4)", "column 22: expected a tile <..., ...>"},
         {"mode((2,3), 9999999)", "column 13: 9999999 is out of range here"},
         {"wgmma_tile_k(32, 16, 64)", "column 22: expected the shape (mn,k)"},
         {"partition_shape(128, mma_c)", "column 17: expected the shape (M,N)"},
         {"partition_shape((128,(4,32)), mma_c)", "column 17: expected the shape (M,N)"},
         {"partition_shape((128,32), 8)",
          "column 27: expected a thread-value layout with its tile, such as tiled_copy(...)"},
         {"conflicts(<4>, 32, 1)", "column 11: expected a layout, found a tile"},
         {"source_tv(4, 8:1)",
          "column 14: expected a thread-value layout with its tile, such as tiled_copy(...)"},
         {"", "column 1: expected a layout, a function, 'Sw<' or '<', found the end"},
         {"999999999999999999999999:1", "column 1: the integer exceeds 2^48"},
         {"Sw<2147483648,0,0>", "column 14: the parameter of a swizzle is too large"},
         {"<4,4>", "a tile is no layout: divide or compose something by it"},
         {deep.c_str(), "column 32: nested deeper than 32 levels"},
         {wide.c_str(), "a nested tuple of more than 48 nodes"}});
  CHECK(value_of(std::string(5000, '(')) ==
        "column 1: the expression is longer than 4096 characters");
}

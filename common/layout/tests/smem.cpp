// Shared memory: bank conflicts, the general swizzle formula against brute force, and the canonical
// layouts of wgmma.

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::test;

// The worst phase of reading every column group of rows of `row_elements`, one vector per row and
// thread.
static int worst_column_read(const Swizzle& swizzle, Int row_elements, Int element_bits,
                             Int vector) {
  const Layout tile{{64, row_elements}, {row_elements, 1}};
  int worst = 0;
  for (Int col = 0; col < row_elements; col += vector) {
    const auto offset = [&](int row) { return swizzle(tile(row, col)); };
    worst = std::max(worst, bank_conflicts(offset, 64, element_bits, vector).worst);
  }
  return worst;
}

TEST_CASE("bank conflicts by phase") {
  const auto stride = [](Int step) { return [step](int thread) { return thread * step; }; };
  CHECK(bank_conflicts(stride(1), 32, 32).worst == 1);
  CHECK(bank_conflicts(stride(2), 32, 32).worst == 2);
  CHECK(bank_conflicts(stride(128), 32, 32).wavefronts == 32);
  CHECK(bank_conflicts(stride(0), 32, 32).worst == 1);  // one word for all: broadcast
  CHECK(bank_conflicts(stride(1), 32, 16).worst == 1);  // two threads to a word
  // 4 bytes: 32 threads a phase; 8 bytes: 16; 16 bytes: 8.
  CHECK(bank_conflicts(stride(1), 32, 32).phases == 1);
  CHECK(bank_conflicts(stride(4), 32, 32, 4).phases == 4);
  CHECK(bank_conflicts(stride(8), 32, 16, 8).free());
  const BankConflicts column = bank_conflicts(stride(64), 32, 16, 8);  // rows of 128 bytes
  CHECK(column.worst == 8);
  CHECK(column.wavefronts == 32);
  CHECK(refusal([&] { bank_conflicts(stride(3), 32, 32, 2); }) ==
        "bank conflicts: thread 1 starts at element 3, not a multiple of 2");
  CHECK(refusal([&] { bank_conflicts(stride(8), 32, 64, 4); }) ==
        "bank conflicts: 4 elements of 64 bits, 8 to 128 bits (a power of two) are needed");
}

TEST_CASE("the general swizzle formula is free of conflicts, with the fewest bits") {
  int cases = 0;
  for (Int bits : {8, 16, 32, 64}) {
    for (Int vector = std::max<Int>(32 / bits, 1); vector * bits <= 128; vector *= 2) {
      for (Int row = vector; row <= 256; row *= 2) {
        const Swizzle swizzle = swizzle_for_columns(row, bits, vector);
        INFO(row << " elements of " << bits << " bits, vectors of " << vector << ": "
                 << to_string(swizzle));
        REQUIRE(worst_column_read(swizzle, row, bits, vector) == 1);
        for (int b = 0; b < swizzle.b; ++b) {
          REQUIRE(worst_column_read(Swizzle(b, swizzle.m, swizzle.s), row, bits, vector) > 1);
        }
        ++cases;
      }
    }
  }
  CHECK(cases > 50);
}

TEST_CASE("a descriptor's walk reaches every element where the tile has it") {
  // What the hardware does with LBO and SBO, in elements: the address of (mn, k) before the
  // swizzle.
  const Major major = GENERATE(Major::kK, Major::kMn);
  const Int bytes = GENERATE(0, 32, 64, 128), mn = GENERATE(64, 128);
  const Int k_extent = bytes == 128 && major == Major::kK ? 64 : 32;
  const Swizzled tile = wgmma_tile(major, bytes, 16, mn, k_extent);
  const WgmmaStrides s = wgmma_strides(tile, major, bytes, 16);
  const Int width = bytes == 0 ? 8 : bytes / 2;
  for (Int row = 0; row < mn; ++row) {
    for (Int col = 0; col < 16; ++col) {
      const Int to_mn = (major == Major::kK || bytes == 0 ? s.stride : s.leading) * 8;
      const Int to_k = (major == Major::kK || bytes == 0 ? s.leading : s.stride) * 8;
      const Int address =
          major == Major::kK ? row / 8 * to_mn + row % 8 * width + col / 8 * to_k + col % 8
                             : row / width * to_mn + row % width + col / 8 * to_k + col % 8 * width;
      REQUIRE(tile.layout(row, col) == address);
      REQUIRE(tile(row, col) == tile.swizzle(address));
    }
  }
}

TEST_CASE("tiles that a descriptor cannot describe are refused") {
  const Swizzled padded(Swizzle{3, 3, 3}, {{64, 64}, {72, 1}});
  CHECK(refusal([&] { wgmma_strides(padded, Major::kK, 128, 16); }).substr(0, 73) ==
        "wgmma: Sw<3,3,3> o (64,64):(72,1) is not canonical: unit (1,0) lies at 9,");
  const Swizzled other(Swizzle{2, 3, 3}, {{64, 64}, {64, 1}});
  CHECK(refusal([&] { wgmma_strides(other, Major::kK, 128, 16); }) ==
        "wgmma: the tile is Sw<2,3,3> o (64,64):(64,1), its swizzle of 128 bytes is Sw<3,3,3>");
}

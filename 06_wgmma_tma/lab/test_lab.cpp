// The lab on the CPU backend: mistakes are named, README.md's table is true (LAB_PAGE is set by the
// build), and no tile is read with bank conflicts.

#include "kernel.cuh"
#include "show.hpp"

#include <runtime/settings.hpp>
#include <test/catch.hpp>

#include <fstream>
#include <iterator>

using namespace wgmma_lab;

TEST_CASE("lab: mistakes are named, whenever copies complete") {
  for (const Mistake& mistake : mistakes()) {
    for (const char* policy : {"late", "early", "mix", "random:1", "random:2"}) {
      runtime::set_policy(policy);
      INFO(mistake.name << " under " << policy);
      CHECK(consequence(mistake).find(mistake.said) != std::string::npos);
    }
  }
  runtime::set_policy("late");
}

TEST_CASE("lab: the table of offsets in README.md is up to date") {
  std::ifstream file(LAB_PAGE);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::string text = "<!-- lab:offsets -->\n\n" + offsets_table() + "\n<!-- /lab:offsets -->";
  CHECK(page.find(text) != std::string::npos);
}

// Tensor cores read 8 rows of 16 bytes at a time: along m or n where K is contiguous, along k
// otherwise.
TEST_CASE("lab: core matrices are read without bank conflicts, swizzled or in boxes of 16 bytes") {
  const auto conflicts = []<class Tile>(Tile, SwizzleMode swizzle, int along, int across) {
    const auto place = [&](int row) {
      const int offset =
          Tile::kAlongK ? Tile::offset(across + row, along) : Tile::offset(along, across + row);
      return core::swizzled(swizzle, static_cast<std::uint32_t>(2 * offset)) / 2;
    };
    return layout::bank_conflicts(place, 8, 16, 8).worst;
  };
  const auto check = [&]<SwizzleMode kSwizzle>() {
    const auto check_tile = [&]<class Tile>(Tile tile) {
      CAPTURE(Tile::kAlongK, Tile::kWidth);
      for (int across = 0; across < Tile::kRows; across += 8) {
        for (int along = 0; along < Tile::kWidth * Tile::kBoxes; along += 8) {
          CHECK(conflicts(tile, kSwizzle, along, across) == 1);
        }
      }
    };
    check_tile(OperandTile<256, 64, Major::kK, kSwizzle>{});
    check_tile(OperandTile<256, 64, Major::kMn, kSwizzle>{});
  };
  check.operator()<kNone>();
  check.operator()<k32B>();
  check.operator()<k64B>();
  check.operator()<k128B>();
  // The same rows of 128 bytes as they come are on the same four banks.
  CHECK(conflicts(OperandTile<64, 64, Major::kK, k128B>{}, kNone, 0, 0) == 8);
}

// What the cases themselves rest on: checksums, verdicts, and the host's own canonical layouts of
// wgmma operands, held against the layout algebra's.

#include "record.hpp"
#include "wgmma_image.hpp"

#include <layout/layout.hpp>
#include <test/catch.hpp>

namespace {

using words::OperandLayout;
using words::OperandMajor;
using words::Spread;

constexpr core::SwizzleMode kModes[] = {core::SwizzleMode::kNone, core::SwizzleMode::k32B,
                                        core::SwizzleMode::k64B, core::SwizzleMode::k128B};

}  // namespace

TEST_CASE("the checksum is zlib's") {
  CHECK(words::crc32({}) == 0);
  CHECK(words::crc32({0x34333231, 0x38373635}) == 0x9ae0daaf);  // "12345678"
}

TEST_CASE("a verdict names the first word that differs") {
  CHECK(words::fault_of({{1, 2, 3}, {1, 2, 3}}).empty());
  CHECK(words::fault_of({{1, 2, 0x1f, 4}, {1, 2, 3, 3}}) ==
        "word 2 is 0000001f, expected 00000003; 2 of 4 differ");
  CHECK(words::fault_of({{1}, {1, 2}}) == "1 words, expected 2");
  CHECK(words::fault_of({{}, {}}) == "no words");
  CHECK(words::fault_of({{7, 7}, {7, 7}}) == "all words are 00000007");
}

TEST_CASE("operand images are laid out as layout::wgmma_tile says") {
  for (const OperandMajor major : {OperandMajor::kK, OperandMajor::kMn}) {
    for (const core::SwizzleMode mode : kModes) {
      for (const int mn : {64, 128, 256}) {
        const OperandLayout operand = words::operand_layout(major, mode, mn, 64, Spread::kPacked);
        const auto layout_major =
            major == OperandMajor::kK ? layout::Major::kK : layout::Major::kMn;
        const int swizzle_bytes = mode == core::SwizzleMode::kNone ? 0 : core::span_bytes(mode);
        const layout::Swizzled tile = layout::wgmma_tile(layout_major, swizzle_bytes, 16, mn, 64);
        INFO(to_string(tile));
        int wrong = 0;
        for (int row = 0; row < mn; ++row) {
          for (int col = 0; col < 64; ++col) wrong += operand.byte(row, col) != 2 * tile(row, col);
        }
        CHECK(wrong == 0);
        CHECK(operand.bytes == mn * 64 * 2);
        const layout::WgmmaStrides strides =
            layout::wgmma_strides(tile, layout_major, swizzle_bytes, 16);
        if (strides.leading_used) CHECK(operand.leading == 16 * strides.leading);
        if (strides.stride_used) CHECK(operand.stride == 16 * strides.stride);
      }
    }
  }
}

TEST_CASE("an operand's steps start where their descriptors do") {
  for (const OperandMajor major : {OperandMajor::kK, OperandMajor::kMn}) {
    for (const core::SwizzleMode mode : kModes) {
      for (const Spread spread : {Spread::kPacked, Spread::kSpread}) {
        const OperandLayout operand = words::operand_layout(major, mode, 64, 64, spread);
        for (int step = 0; step < 4; ++step)
          CHECK(operand.advance(step) == operand.byte(0, 16 * step));
        CHECK(operand.stride % 16 == 0);
        CHECK(operand.leading % 16 == 0);
      }
    }
  }
}

TEST_CASE("no two elements of an operand share a place") {
  for (const OperandMajor major : {OperandMajor::kK, OperandMajor::kMn}) {
    for (const core::SwizzleMode mode : kModes) {
      for (const Spread spread : {Spread::kPacked, Spread::kSpread}) {
        const OperandLayout operand = words::operand_layout(major, mode, 32, 64, spread);
        std::vector<bool> taken(static_cast<std::size_t>(operand.bytes));
        int shared = 0;
        for (int row = 0; row < 32; ++row) {
          for (int col = 0; col < 64; ++col) {
            const auto place = static_cast<std::size_t>(operand.byte(row, col));
            REQUIRE(place + 2 <= taken.size());
            shared += taken[place];
            taken[place] = true;
          }
        }
        CHECK(shared == 0);
      }
    }
  }
}

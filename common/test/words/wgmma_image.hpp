#pragma once
// An operand of wgmma as bytes in shared memory, after the canonical layouts of the PTX ISA
// ("Asynchronous Warpgroup-level Matrix Shared Memory Layout", "Strides").

#include <core/swizzle_mode.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace words {

enum class OperandMajor { kK, kMn };
// kPacked: atoms side by side, along M or N first, as layout::wgmma_tile has them. kSpread: along K
// first, and with gaps.
enum class Spread { kPacked, kSpread };

struct OperandLayout {
  OperandMajor major;
  core::SwizzleMode swizzle;
  int mn, k;            // elements of 16 bits
  int leading, stride;  // LBO and SBO, in bytes
  int next_column;      // K-major with a swizzle: from an atom to the next along k, in bytes
  int bytes;            // of the whole image

  // Where element (mn, k) lies.
  int byte(int row, int col) const;
  // From a descriptor to the one for the columns 16 * step on.
  int advance(int step) const;
};

OperandLayout operand_layout(OperandMajor major, core::SwizzleMode swizzle, int mn, int k,
                             Spread spread);

// The image with bits(mn, k) at its places and 0xffff, a NaN, everywhere else; in words.
std::vector<std::uint32_t> image(const OperandLayout& layout,
                                 const std::function<std::uint16_t(int, int)>& bits);

}  // namespace words

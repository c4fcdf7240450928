#include "wgmma_image.hpp"

#include <algorithm>
#include <cstring>

namespace words {

namespace {

// 16-byte units in a row of the swizzle's atom.
int width(core::SwizzleMode swizzle) {
  return core::span_bytes(swizzle) / 16;
}

int divide_up(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

int OperandLayout::byte(int row, int col) const {
  const int w = width(swizzle);
  int at = 0;
  if (major == OperandMajor::kK) {
    // Units of 8 columns; 8 rows to an atom. Without a swizzle LBO leads to the next unit.
    const int unit = col / 8;
    at = row / 8 * stride + row % 8 * w * 16 + col % 8 * 2;
    at += w == 1 ? unit * leading : unit / w * next_column + unit % w * 16;
  } else {
    // Units of 8 rows; 8 columns to an atom. LBO and SBO change places without a swizzle.
    const int unit = row / 8, to_mn = w == 1 ? stride : leading, to_k = w == 1 ? leading : stride;
    at = unit / w * to_mn + unit % w * 16 + row % 8 * 2 + col / 8 * to_k + col % 8 * w * 16;
  }
  const int chunk = at / 16 % w, line = at / 128 % w;
  return at + ((chunk ^ line) - chunk) * 16;
}

int OperandLayout::advance(int step) const {
  const int w = width(swizzle);
  if (major == OperandMajor::kMn) return step * 2 * (w == 1 ? leading : stride);
  if (w == 1) return step * 2 * leading;
  return 2 * step / w * next_column + 2 * step % w * 16;
}

OperandLayout operand_layout(OperandMajor major, core::SwizzleMode swizzle, int mn, int k,
                             Spread spread) {
  const int w = width(swizzle), atom = 128 * w;
  const bool k_major = major == OperandMajor::kK;
  const int along_mn = divide_up(mn, k_major ? 8 : 8 * w);
  const int along_k = divide_up(k, k_major ? 8 * w : 8);
  // A gap behind each row of atoms: 16 bytes where no pattern of addresses is to be kept.
  const int gap = w == 1 ? 16 : atom;
  const int to_mn = spread == Spread::kPacked ? atom : along_k * atom + gap;
  const int to_k = spread == Spread::kPacked ? along_mn * atom : atom;

  OperandLayout out{major, swizzle, mn, k, 16, 0, 0, 0};
  if (k_major) {
    out.stride = to_mn;
    if (w == 1) {
      out.leading = to_k;
    } else {
      out.next_column = to_k;
    }
  } else {
    out.leading = w == 1 ? to_k : to_mn;
    out.stride = w == 1 ? to_mn : to_k;
  }
  out.bytes = (along_mn - 1) * to_mn + (along_k - 1) * to_k + atom;
  return out;
}

std::vector<std::uint32_t> image(const OperandLayout& layout,
                                 const std::function<std::uint16_t(int, int)>& bits) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(divide_up(layout.bytes, 4)), 0xffffffffu);
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  for (int row = 0; row < layout.mn; ++row) {
    for (int col = 0; col < layout.k; ++col) {
      const std::uint16_t value = bits(row, col);
      std::memcpy(bytes + layout.byte(row, col), &value, 2);
    }
  }
  return out;
}

}  // namespace words

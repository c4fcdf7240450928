#include "operand.hpp"

namespace wgmma_lab {

namespace {

constexpr int kBits = 16;  // of an element

// Where the hardware looks for element (row, col), col < 16, of an operand with this descriptor
// (PTX ISA, "Strides" of wgmma's matrix descriptor). Bytes.
int looked_up(const core::MatrixDescriptorFields& fields, bool k_major, int row, int col) {
  const int span = core::span_bytes(fields.swizzle);
  const bool plain = fields.swizzle == kNone;
  const int leading = fields.leading_bytes, stride = fields.stride_bytes;
  int offset = 0;
  if (k_major) {
    offset = row / 8 * stride + row % 8 * span + col / 8 * (plain ? leading : 16) + col % 8 * 2;
  } else {
    const int width = span / 2, to_rows = plain ? stride : leading;
    offset = row / width * to_rows + row % width * 2 + col / 8 * (plain ? leading : stride) +
             col % 8 * span;
  }
  return static_cast<int>(
      core::swizzled(fields.swizzle, fields.address + static_cast<std::uint32_t>(offset)));
}

}  // namespace

std::string name(const Form& form, char rows) {
  return std::string(1, form.k_major() ? 'K' : rows) + "-major, " + to_string(form.swizzle) +
         " swizzle";
}

Operand make_operand(const Form& form, int rows, int k, bool boxes) {
  const int width = form.span() / 2, swizzle = form.swizzle == kNone ? 0 : form.span();
  const auto round_up = [](int value, int unit) { return (value + unit - 1) / unit * unit; };
  const layout::IntTuple shape{round_up(rows, form.k_major() ? 8 : width),
                               round_up(k, form.k_major() ? width : 8)};
  const layout::Swizzled atom = layout::wgmma_atom(form.major, swizzle, kBits);
  const layout::Swizzled tile = boxes && !form.k_major()
                                    ? tile_to_shape(atom, shape, layout::IntTuple{1, 0})
                                    : tile_to_shape(atom, shape);
  return {form, rows, k, tile, layout::wgmma_strides(tile, form.major, swizzle, kBits)};
}

std::string misread(const Operand& operand, const core::MatrixDescriptorFields& fields) {
  const bool k_major = operand.form.k_major();
  for (int col = 0; col < kStepK; col += k_major ? 8 : 1) {
    for (int row = 0; row < operand.rows; row += k_major ? 1 : 8) {
      const int looked = looked_up(fields, k_major, row, col), lies = operand.byte(row, col);
      if (looked == lies) continue;
      const auto number = [](int value) { return std::to_string(value); };
      const std::string unit =
          k_major ? "row " + number(row) + ", columns " + number(col) + " to " + number(col + 7)
                  : "rows " + number(row) + " to " + number(row + 7) + ", column " + number(col);
      return unit + ": at byte " + number(lies) + " of the tile, the descriptor leads to byte " +
             number(looked) + " (LBO " + number(fields.leading_bytes) + ", SBO " +
             number(fields.stride_bytes) + ", " + to_string(fields.swizzle) + " swizzle)";
    }
  }
  return "";
}

}  // namespace wgmma_lab

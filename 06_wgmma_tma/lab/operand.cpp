#include "lab.hpp"

namespace wgmma_lab {

namespace {

constexpr int kBits = 16;  // of an element

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

// `boxes`: the atoms in the order in which TMA brings them, whose boxes are one atom wide (an
// MN-major tile goes along k first); else along the rows first, as wgmma_tile() puts them.
Operand operand(const Form& form, int rows, int k, int start, bool boxes) {
  const int width = form.span() / 2, swizzle = form.swizzle == kNone ? 0 : form.span();
  const layout::IntTuple shape{round_up(rows, form.k_major() ? 8 : width),
                               round_up(k, form.k_major() ? width : 8)};
  const layout::Swizzled atom = layout::wgmma_atom(form.major, swizzle, kBits);
  const layout::Swizzled tile = boxes && !form.k_major()
                                    ? tile_to_shape(atom, shape, layout::IntTuple{1, 0})
                                    : tile_to_shape(atom, shape);
  return {form, rows, k, start, tile, layout::wgmma_strides(tile, form.major, swizzle, kBits)};
}

// Where the hardware looks for element (row, col), col < 16, of a tile at 0 with this descriptor
// (PTX ISA, "Strides" of wgmma's matrix descriptor). Bytes.
int looked_up(const core::MatrixDescriptorFields& fields, bool k_major, int row, int col) {
  const int span = core::span_bytes(fields.swizzle), width = span / 2;
  const bool plain = fields.swizzle == kNone;
  const int leading = fields.leading_bytes, stride = fields.stride_bytes;
  const int offset =
      k_major ? row / 8 * stride + row % 8 * span + col / 8 * (plain ? leading : 16) + col % 8 * 2
              : row / width * (plain ? stride : leading) + row % width * 2 +
                    col / 8 * (plain ? leading : stride) + col % 8 * span;
  return static_cast<int>(core::swizzled(fields.swizzle, static_cast<std::uint32_t>(offset)));
}

}  // namespace

std::string Form::name(char rows) const {
  return std::string(1, k_major() ? 'K' : rows) + "-major, " + to_string(swizzle) + " swizzle";
}

core::MatrixDescriptorFields Operand::descriptor() const {
  return {static_cast<std::uint32_t>(start), static_cast<int>(strides.leading) * 16,
          static_cast<int>(strides.stride) * 16, 0, form.swizzle};
}

std::string Operand::misread(const core::MatrixDescriptorFields& fields) const {
  for (int i = 0; i < rows * kStepK; ++i) {
    const int row = i % rows, col = i / rows;
    const int looked = looked_up(fields, form.k_major(), row, col), lies = byte(row, col);
    if (looked == lies) continue;
    const auto number = [](int value) { return std::to_string(value); };
    return "row " + number(row) + ", column " + number(col) + ": at byte " + number(lies) +
           " of the tile, the descriptor leads to byte " + number(looked) + " (LBO " +
           number(fields.leading_bytes) + ", SBO " + number(fields.stride_bytes) + ", " +
           to_string(fields.swizzle) + " swizzle)";
  }
  return "";
}

Operand Case::a() const {
  return operand(form_a, kRowsA, k, 0, tma);
}
Operand Case::b() const {
  return operand(form_b, kRowsB, k, a_in_registers ? 0 : round_up(a().bytes(), 1024), tma);
}

}  // namespace wgmma_lab

#include "operand.hpp"

#include "arguments.hpp"

namespace wgmma_lab {

namespace {

constexpr int kBits = 16;  // of an element

int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}

// "row 8, columns 0 to 7" or "rows 8 to 15, column 0": what 16 bytes hold.
std::string unit_text(layout::Major major, int row, int col) {
  const auto eight = [](const char* what, int first) {
    return std::string(what) + "s " + std::to_string(first) + " to " + std::to_string(first + 7);
  };
  const auto one = [](const char* what, int i) {
    return std::string(what) + " " + std::to_string(i);
  };
  if (major == layout::Major::kK) return one("row", row) + ", " + eight("column", col);
  return eight("row", row) + ", " + one("column", col);
}

}  // namespace

std::string name(const Form& form, char rows) {
  const int bytes = swizzle_bytes(form.swizzle);
  return std::string(1, form.major == layout::Major::kK ? 'K' : rows) + "-major, " +
         (bytes == 0 ? "no swizzle" : std::to_string(bytes) + "-byte swizzle");
}

int Operand::bytes() const {
  return static_cast<int>(tile.size()) * 2;
}
int Operand::leading_bytes() const {
  return static_cast<int>(strides.leading) * 16;
}
int Operand::stride_bytes() const {
  return static_cast<int>(strides.stride) * 16;
}
int Operand::advance(int step) const {
  return static_cast<int>(tile.layout(0, step * kStepK)) * 2;
}
int Operand::byte(int row, int col) const {
  return static_cast<int>(tile(row, col)) * 2;
}

Operand make_operand(const Form& form, int rows, int k, Atoms atoms) {
  const int swizzle = swizzle_bytes(form.swizzle), width = core::span_bytes(form.swizzle) / 2;
  const bool k_major = form.major == layout::Major::kK;
  const layout::IntTuple shape{round_up(rows, k_major ? 8 : width),
                               round_up(k, k_major ? width : 8)};
  const layout::Swizzled atom = layout::wgmma_atom(form.major, swizzle, kBits);
  const bool along_k_first = atoms == Atoms::kBoxes && !k_major;
  const layout::Swizzled tile = along_k_first ? tile_to_shape(atom, shape, layout::IntTuple{1, 0})
                                              : tile_to_shape(atom, shape);
  return {form, rows, k, tile, layout::wgmma_strides(tile, form.major, swizzle, kBits)};
}

int looked_up(const core::MatrixDescriptorFields& fields, layout::Major major, int row, int col) {
  const int width = core::span_bytes(fields.swizzle) / 16;  // units in a row of the swizzle
  const int leading = fields.leading_bytes, stride = fields.stride_bytes;
  int offset;
  if (major == layout::Major::kK) {
    offset = row / 8 * stride + row % 8 * width * 16 + col / 8 * (width == 1 ? leading : 16) +
             col % 8 * 2;
  } else {
    const int unit = row / 8;
    const int to_rows = width == 1 ? stride : leading, to_columns = width == 1 ? leading : stride;
    offset = unit / width * to_rows + unit % width * 16 + row % 8 * 2 + col / 8 * to_columns +
             col % 8 * width * 16;
  }
  return static_cast<int>(
      core::swizzled(fields.swizzle, fields.address + static_cast<std::uint32_t>(offset)));
}

std::optional<std::string> misread(const Operand& operand,
                                   const core::MatrixDescriptorFields& fields, int tile_start) {
  const bool k_major = operand.form.major == layout::Major::kK;
  for (int col = 0; col < kStepK; col += k_major ? 8 : 1) {
    for (int row = 0; row < operand.rows; row += k_major ? 1 : 8) {
      const int looked = looked_up(fields, operand.form.major, row, col) - tile_start;
      const int lies = operand.byte(row, col);
      if (looked == lies) continue;
      return unit_text(operand.form.major, row, col) + ": at byte " + std::to_string(lies) +
             " of the tile, the descriptor leads to byte " + std::to_string(looked) + " (LBO " +
             std::to_string(fields.leading_bytes) + ", SBO " + std::to_string(fields.stride_bytes) +
             ", " + core::to_string(fields.swizzle) + " swizzle)";
    }
  }
  return std::nullopt;
}

}  // namespace wgmma_lab

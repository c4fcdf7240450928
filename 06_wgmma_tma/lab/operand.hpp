#pragma once
// An operand of wgmma in shared memory: its tile, the two offsets of its descriptor, and what the
// hardware makes of such a descriptor.

#include <core/matrix_descriptor.hpp>
#include <layout/layout.hpp>

#include <optional>
#include <string>

namespace wgmma_lab {

struct Form {
  layout::Major major = layout::Major::kK;
  core::SwizzleMode swizzle = core::SwizzleMode::kNone;
};

std::string name(const Form& form, char rows = 'M');  // "K-major, 128-byte", "M-major, none"
constexpr int swizzle_bytes(core::SwizzleMode mode) {
  return mode == core::SwizzleMode::kNone ? 0 : core::span_bytes(mode);
}

// In which order the atoms of a tile lie. kRowsFirst: as wgmma_tile() puts them. kBoxes: as TMA
// does, whose boxes are one atom wide: an MN-major tile then goes along k first.
enum class Atoms { kRowsFirst, kBoxes };

struct Operand {
  Form form;
  int rows = 0;  // 64 or N
  int k = 0;
  layout::Swizzled tile;  // (rows, k), rounded up to whole atoms -> element
  layout::WgmmaStrides strides;

  int bytes() const;          // of the tile
  int leading_bytes() const;  // LBO and SBO; where any will do, 0
  int stride_bytes() const;
  int advance(int step) const;       // bytes from the first 16 columns to step's
  int byte(int row, int col) const;  // of an element, from the tile's start
};

Operand make_operand(const Form& form, int rows, int k, Atoms atoms = Atoms::kRowsFirst);

// Where the hardware looks for element (row, col), col < 16, of an operand with this descriptor:
// bytes of shared memory (PTX ISA, "Strides" of wgmma's matrix descriptor). Fields in bytes.
int looked_up(const core::MatrixDescriptorFields& fields, layout::Major major, int row, int col);

// The first 16-byte unit of the first 16 columns that such a descriptor, whose address is that of
// the tile, leads past; nothing if it finds them all.
std::optional<std::string> misread(const Operand& operand,
                                   const core::MatrixDescriptorFields& fields, int tile_start);

}  // namespace wgmma_lab

#pragma once
// An operand of wgmma in shared memory: its tile, the two offsets of its descriptor, and what the
// hardware makes of such a descriptor.

#include <core/matrix_descriptor.hpp>
#include <layout/layout.hpp>

#include <string>

namespace wgmma_lab {

using enum core::SwizzleMode;

inline constexpr int kRowsA = 64;     // M of every wgmma
inline constexpr int kRowsB = 32;     // N of the lab's
inline constexpr int kStepK = 16;     // K of every wgmma on 16-bit elements
inline constexpr int kMostSteps = 4;  // of K in one tile

struct Form {
  layout::Major major = layout::Major::kK;
  core::SwizzleMode swizzle = kNone;

  bool k_major() const { return major == layout::Major::kK; }
  int span() const { return core::span_bytes(swizzle); }  // a row of the swizzle, in bytes
};

std::string name(const Form& form, char rows = 'M');  // "K-major, 128-byte swizzle"

struct Operand {
  Form form;
  int rows, k;
  layout::Swizzled tile;  // (rows, k), rounded up to whole atoms -> element
  layout::WgmmaStrides strides;

  int bytes() const { return static_cast<int>(tile.size()) * 2; }
  // From the first 16 columns to step's.
  int advance(int step) const { return static_cast<int>(tile.layout(0, step * kStepK)) * 2; }
  // Of an element, from the tile's start.
  int byte(int row, int col) const { return static_cast<int>(tile(row, col)) * 2; }
};

// `boxes`: the atoms in the order in which TMA brings them, whose boxes are one atom wide (an
// MN-major tile goes along k first); else along the rows first, as wgmma_tile() puts them.
Operand make_operand(const Form& form, int rows, int k, bool boxes = false);

// The first 16-byte unit of the first 16 columns that a descriptor leads past, in a sentence; empty
// if it finds them all. Its address counts from the tile's start.
std::string misread(const Operand& operand, const core::MatrixDescriptorFields& fields);

}  // namespace wgmma_lab

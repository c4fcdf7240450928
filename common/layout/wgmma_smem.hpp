#pragma once

// Operands of wgmma in shared memory: the swizzle atoms, tiles built of them, and the two byte
// offsets of a descriptor.
//
// wgmma thinks in units of 128 bits. A tile is (mn, k): rows of A or B, and the reduction. In these
// units its canonical forms are (W = width of the swizzle in units: 1, 2, 4, 8; W = 1 is "none"):
//
//   K-major   none      ((8,n),2):((1,SBO),LBO)
//             swizzled  ((8,n),2):((W,SBO),1)
//   MN-major  none      ((1,n),(8,k)):((-,SBO),(1,LBO))
//             swizzled  ((W,n),(8,k)):((1,LBO),(W,SBO))
//
// so K-major: SBO leads to the next 8 rows, LBO (none only) to the next unit along k; MN-major:
// with a swizzle LBO leads to the next W units along mn and SBO to the next 8 along k, and without
// one it is the other way round.

#include "swizzle.hpp"

namespace layout {

enum class Major { kK, kMn };

// The smallest swizzled piece, 8 rows of W units:  K-major Sw<log2 W, M, 3> o (8, W e):(W e, 1)
// with e elements in 128 bits and M = log2 e; MN-major is its transpose.
// Refuses other swizzles than 0, 32, 64 and 128 bytes, and MN-major tiles of elements other than 16
// bits (or 128-bit units): wgmma transposes 16-bit operands only.
constexpr Swizzled wgmma_atom(Major major, Int swizzle_bytes, Int element_bits) {
  if (swizzle_bytes != 0 && swizzle_bytes != 32 && swizzle_bytes != 64 && swizzle_bytes != 128) {
    refuse("wgmma: a swizzle of ", swizzle_bytes, " bytes, there are 0 (none), 32, 64 and 128");
  }
  if (element_bits < 1 || 128 % element_bits != 0)
    refuse("wgmma: 128 bits do not hold elements of ", element_bits, " bits");
  if (major == Major::kMn && element_bits != 16 && element_bits != 128) {
    refuse("wgmma: MN-major operands have 16-bit elements, not ", element_bits, "-bit ones");
  }
  const Int unit = 128 / element_bits, units = swizzle_bytes == 0 ? 1 : swizzle_bytes / 16;
  const Int width = units * unit;
  const Swizzle swizzle(log2_exact(units), log2_exact(unit), 3);
  return {swizzle,
          major == Major::kK ? Layout{{8, width}, {width, 1}} : Layout{{width, 8}, {1, width}}};
}

// The tile of an operand, atoms in column-major order.
constexpr Swizzled wgmma_tile(Major major, Int swizzle_bytes, Int element_bits, Int mn, Int k) {
  return tile_to_shape(wgmma_atom(major, swizzle_bytes, element_bits), IntTuple{mn, k});
}

// LBO and SBO in units of 16 bytes; 0 where the tile has no second piece in that direction and any
// value will do.
struct WgmmaStrides {
  Int leading = 0;
  Int stride = 0;
  bool leading_used = false;
  bool stride_used = false;
};

// Reads LBO and SBO off a tile (mn, k) of an operand, for the instruction that starts at its
// origin: 2 units along k if K-major, 16 elements along k if MN-major. K-major with a swizzle, LBO
// is ignored by the hardware and 1 by convention.
// Refuses a tile that is not of the canonical form, naming the first unit that lies elsewhere.
constexpr WgmmaStrides wgmma_strides(const Swizzled& tile, Major major, Int swizzle_bytes,
                                     Int element_bits) {
  const Swizzled atom = wgmma_atom(major, swizzle_bytes, element_bits);
  if (tile.rank() != 2) refuse("wgmma: the tile ", tile, " is not of rank 2 (mn,k)");
  if (!(tile.swizzle == atom.swizzle) && (tile.swizzle.b != 0 || atom.swizzle.b != 0)) {
    refuse("wgmma: the tile is ", tile, ", its swizzle of ", swizzle_bytes, " bytes is ",
           atom.swizzle);
  }
  if (tile.size() > (Int{1} << 18) * 8 / element_bits) {
    refuse("wgmma: ", tile, " is larger than the 256 KiB that a descriptor can address");
  }
  const Layout units = recast(tile.layout, element_bits, 128);
  const Int width = Int{1} << atom.swizzle.b;
  const bool k_major = major == Major::kK;
  const Int rows = units.mode(0).size();
  const Int cols = k_major ? 2 : 16;
  if (units.mode(1).size() < cols) {
    refuse("wgmma: ", tile, " is ", units.mode(1).size(),
           " units long in k, one instruction takes ", cols);
  }
  const Int group = k_major ? 8 : width;                   // units along mn in one atom
  const Int next_mn = rows > group ? units(group, 0) : 0;  // to the next atom along mn
  const Int next_k =
      k_major ? units(0, 1) : units(0, 8);  // to the next unit (K-major) or atom along k
  const Int groups = ceil_div(rows, group);
  const Layout canonical =
      k_major ? Layout{{{8, groups}, 2}, {{width, next_mn}, width == 1 ? next_k : 1}}
              : Layout{{{width, groups}, {8, 2}}, {{1, next_mn}, {width, next_k}}};
  for (Int row = 0; row < rows; ++row) {
    for (Int col = 0; col < cols; ++col) {
      if (units(row, col) == canonical(row, col)) continue;
      refuse("wgmma: ", tile, " is not canonical: unit (", row, ",", col, ") lies at ",
             units(row, col), ", not at ", canonical(row, col));
    }
  }
  if (k_major) return {width == 1 ? next_k : 1, next_mn, width == 1, rows > group};
  if (width > 1) return {next_mn, next_k, rows > group, true};
  return {next_k, next_mn, true, rows > group};
}

}  // namespace layout

#pragma once

// Matrices with a leading dimension, as BLAS has them: the two layouts of rank 2 that need no
// algebra. All functions are usable at run time in device code; coordinates are (row, column),
// distances in elements.

#include "shape_stride.hpp"

namespace layout {

struct MatrixCoord {
  Int row = 0;
  Int col = 0;
  constexpr bool operator==(const MatrixCoord&) const = default;
};

// Rows are contiguous: offset = row ld + col.       RowMajor{32}.offset({7, 23}) = 247
struct RowMajor {
  Int ld = 0;

  constexpr Int offset(MatrixCoord at) const { return at.row * ld + at.col; }
  // The coordinate with this offset; its column is below ld.
  constexpr MatrixCoord inverse(Int offset) const { return {offset / ld, offset % ld}; }
  // Elements from one matrix to the next where whole rows are kept: rows * ld.
  constexpr Int capacity(Int rows, Int /*cols*/) const { return rows * ld; }
  // (rows,cols):(ld,1). Refuses ld < cols: rows would overlap.
  constexpr Layout layout(Int rows, Int cols) const {
    if (ld < cols) refuse("row-major: a leading dimension of ", ld, " is below ", cols, " columns");
    return Layout{{rows, cols}, {ld, 1}};
  }
};

// Columns are contiguous: offset = row + col ld.    ColumnMajor{32}.offset({7, 23}) = 743
struct ColumnMajor {
  Int ld = 0;

  constexpr Int offset(MatrixCoord at) const { return at.row + at.col * ld; }
  constexpr MatrixCoord inverse(Int offset) const { return {offset % ld, offset / ld}; }
  constexpr Int capacity(Int /*rows*/, Int cols) const { return cols * ld; }
  constexpr Layout layout(Int rows, Int cols) const {
    if (ld < rows) refuse("column-major: a leading dimension of ", ld, " is below ", rows, " rows");
    return Layout{{rows, cols}, {1, ld}};
  }
};

}  // namespace layout

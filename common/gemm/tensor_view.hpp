#pragma once
// Matrices as kernels see them: a pointer, a layout that turns coordinates into an offset, and, for
// a view, how far each dimension extends. Nothing here owns memory.

#include <cstdint>

namespace gemm {

// (rows, cols), cols contiguous, rows `ld` elements apart.
struct RowMajor {
  std::int64_t ld;

  constexpr std::int64_t operator()(std::int64_t row, std::int64_t col) const {
    return row * ld + col;
  }
};

// Pointer and layout: enough to reach an element, not enough to know whether it exists.
template <class T>
struct MatrixRef {
  T* data;
  RowMajor layout;

  constexpr T* at(int row, int col) const { return data + layout(row, col); }
};

// A reference that knows its extents.
template <class T>
struct MatrixView {
  MatrixRef<T> ref;
  int extents[2];

  // The address of an element, which need not exist.
  constexpr T* at(int row, int col) const { return ref.at(row, col); }
  constexpr T& operator()(int row, int col) const { return *at(row, col); }

  constexpr int extent(int dimension) const { return extents[dimension]; }

  // Whether the coordinates name an element. As unsigned numbers, negative coordinates are larger
  // than any extent: one comparison is enough.
  constexpr bool contains(int row, int col) const {
    return static_cast<unsigned>(row) < static_cast<unsigned>(extents[0]) &&
           static_cast<unsigned>(col) < static_cast<unsigned>(extents[1]);
  }

  // The part of the view that begins at `begin` and reaches at most `size` elements in each
  // dimension, clipped where the view ends; empty in a dimension that begins at or behind its end.
  // No number is negative.
  constexpr MatrixView part(const int (&begin)[2], const int (&size)[2]) const {
    const bool empty = begin[0] >= extents[0] || begin[1] >= extents[1];
    const std::int64_t offset = empty ? 0 : ref.layout(begin[0], begin[1]);
    return {{ref.data + offset, ref.layout},
            {clipped(extents[0] - begin[0], size[0]), clipped(extents[1] - begin[1], size[1])}};
  }

 private:
  static constexpr int clipped(int left, int size) {
    return left <= 0 ? 0 : (left < size ? left : size);
  }
};

// (rows, cols) row-major with consecutive rows ld elements apart.
template <class T>
constexpr MatrixView<T> row_major_view(T* data, int rows, int cols, std::int64_t ld) {
  return {{data, RowMajor{ld}}, {rows, cols}};
}

}  // namespace gemm

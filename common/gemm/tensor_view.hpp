#pragma once
// Matrices and tensors as kernels see them: a pointer, a layout that turns coordinates into an
// offset, and, for a view, how far each dimension extends. Nothing here owns memory.

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace gemm {

// (rows, cols), cols contiguous, rows `ld` elements apart. A layout is any function object that
// turns coordinates into an offset in elements: what common/layout builds, a lambda.
struct RowMajor {
  std::int64_t ld;
  static constexpr bool kLinear = true;

  constexpr std::int64_t operator()(std::int64_t row, std::int64_t col) const {
    return row * ld + col;
  }
};

// offset(x + y) = offset(x) + offset(y): only then does moving the pointer move the tensor. A
// swizzled layout is not linear and must not say so.
template <class L>
concept LinearLayout = requires {
  requires L::kLinear;
};

// Pointer and layout: enough to reach an element, not enough to know whether it exists.
template <class T, class Layout>
struct TensorRef {
  T* data;
  Layout layout;

  template <class... Coord>
  constexpr T* at(Coord... coord) const {
    return data + layout(coord...);
  }
};

// A reference that knows its extents. Rank coordinates, each a 32-bit index.
template <class T, class Layout, int Rank>
struct TensorView {
  TensorRef<T, Layout> ref;
  int extents[Rank];

  // The address of an element, which need not exist.
  template <class... Coord>
  constexpr T* at(Coord... coord) const {
    return ref.at(coord...);
  }
  template <class... Coord>
  constexpr T& operator()(Coord... coord) const {
    return *at(coord...);
  }

  constexpr int extent(int dimension) const { return extents[dimension]; }

  // Whether the coordinates name an element. Negative ones never do.
  template <std::integral... Coord>
  constexpr bool contains(Coord... coord) const {
    return contains(std::make_integer_sequence<int, Rank>(), coord...);
  }

  // The part of the view that begins at `begin` and reaches at most `size` elements in each
  // dimension, clipped where the view ends; empty in a dimension that begins at or behind its end.
  // No number is negative.
  constexpr TensorView part(const int (&begin)[Rank], const int (&size)[Rank]) const {
    static_assert(LinearLayout<Layout>, "this layout's offsets do not add up");
    return part(begin, size, std::make_integer_sequence<int, Rank>());
  }

 private:
  static constexpr int clipped(int left, int size) {
    return left <= 0 ? 0 : (left < size ? left : size);
  }

  // These two are spelled out by index: a running index would put the extents into local memory.
  // As unsigned numbers, negative coordinates are larger than any extent: one comparison is enough.
  template <int... I, class... Coord>
  constexpr bool contains(std::integer_sequence<int, I...>, Coord... coord) const {
    return ((static_cast<std::make_unsigned_t<Coord>>(coord) <
             static_cast<std::make_unsigned_t<Coord>>(extents[I])) &&
            ...);
  }

  template <int... I>
  constexpr TensorView part(const int (&begin)[Rank], const int (&size)[Rank],
                            std::integer_sequence<int, I...>) const {
    const bool empty = ((begin[I] >= extents[I]) || ...);
    const std::int64_t offset = empty ? 0 : std::int64_t{ref.layout(begin[I]...)};
    return {{ref.data + offset, ref.layout}, {clipped(extents[I] - begin[I], size[I])...}};
  }
};

template <class T>
using MatrixView = TensorView<T, RowMajor, 2>;

// (rows, cols) row-major with consecutive rows ld elements apart.
template <class T>
constexpr MatrixView<T> row_major_view(T* data, int rows, int cols, std::int64_t ld) {
  return {{data, RowMajor{ld}}, {rows, cols}};
}

}  // namespace gemm

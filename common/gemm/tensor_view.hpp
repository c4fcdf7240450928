#pragma once
// Matrices and tensors as kernels see them: a pointer, a layout that turns coordinates into an
// offset, and, for a view, how far each dimension extends. Nothing here owns memory; everything is
// constexpr and works in host and device code (nvcc: --expt-relaxed-constexpr).

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace gemm {

// A layout: layout(coord...) is the offset, in elements, of the element at these coordinates. A
// plain function object will do: what common/layout builds, a swizzle behind a stride, a lambda.
template <class L, class... Coord>
concept LayoutOver = requires(const L& layout, Coord... coord) {
  { layout(coord...) } -> std::convertible_to<std::int64_t>;
};

// (rows, cols), cols contiguous, rows `ld` elements apart.
struct RowMajor {
  std::int64_t ld;
  static constexpr bool kLinear = true;

  constexpr std::int64_t operator()(std::int64_t row, std::int64_t col) const {
    return row * ld + col;
  }
};

// (rows, cols), rows contiguous, columns `ld` elements apart.
struct ColumnMajor {
  std::int64_t ld;
  static constexpr bool kLinear = true;

  constexpr std::int64_t operator()(std::int64_t row, std::int64_t col) const {
    return row + col * ld;
  }
};

// offset(x + y) = offset(x) + offset(y): only then does moving the pointer move the tensor. A
// swizzled layout is not linear and must not say so.
template <class L>
concept LinearLayout = requires {
  requires L::kLinear;
};

// const T for a T that may be written.
template <class U, class T>
concept ReadOnly = std::same_as<U, const T> && !std::is_const_v<T>;

// Pointer and layout: enough to reach an element, not enough to know whether it exists.
template <class T, class Layout>
struct TensorRef {
  T* data;
  Layout layout;

  template <class... Coord>
  constexpr T* at(Coord... coord) const {
    static_assert(LayoutOver<Layout, Coord...>);
    return data + layout(coord...);
  }

  template <class... Coord>
  constexpr T& operator()(Coord... coord) const {
    return *at(coord...);
  }

  // The same tensor with its origin moved to these coordinates.
  template <class... Coord>
  constexpr TensorRef shifted(Coord... coord) const {
    static_assert(LinearLayout<Layout>, "this layout's offsets do not add up");
    return {at(coord...), layout};
  }

  // The same elements for reading only.
  template <ReadOnly<T> U>
  constexpr operator TensorRef<U, Layout>() const {
    return {data, layout};
  }
};

// A reference that knows its extents. Rank coordinates, each a 32-bit index.
template <class T, class Layout, int Rank>
struct TensorView {
  TensorRef<T, Layout> ref;
  int extents[Rank];

  template <class... Coord>
  constexpr T* at(Coord... coord) const {
    static_assert(sizeof...(Coord) == Rank);
    return ref.at(coord...);
  }

  template <class... Coord>
  constexpr T& operator()(Coord... coord) const {
    return *at(coord...);
  }

  constexpr int extent(int dimension) const { return extents[dimension]; }

  constexpr std::int64_t size() const {
    std::int64_t product = 1;
    for (int i = 0; i < Rank; ++i) product *= extents[i];
    return product;
  }

  // Whether the coordinates name an element. Negative ones never do.
  template <std::integral... Coord>
  constexpr bool contains(Coord... coord) const {
    static_assert(sizeof...(Coord) == Rank);
    return contains(std::make_integer_sequence<int, Rank>(), coord...);
  }

  // The part of the view that begins at `begin` and reaches at most `size` elements in each
  // dimension, clipped where the view ends; empty in a dimension that begins at or behind its end.
  // No number is negative.
  constexpr TensorView part(const int (&begin)[Rank], const int (&size)[Rank]) const {
    static_assert(LinearLayout<Layout>, "this layout's offsets do not add up");
    return part(begin, size, std::make_integer_sequence<int, Rank>());
  }

  template <ReadOnly<T> U>
  constexpr operator TensorView<U, Layout, Rank>() const {
    TensorView<U, Layout, Rank> out{ref, {}};
    for (int i = 0; i < Rank; ++i) out.extents[i] = extents[i];
    return out;
  }

 private:
  static constexpr int clipped(int left, int size) {
    return left <= 0 ? 0 : (left < size ? left : size);
  }

  // These two are spelled out by index: a running index would put the extents into local memory.
  template <int... I, class... Coord>
  constexpr bool contains(std::integer_sequence<int, I...>, Coord... coord) const {
    return ((coord >= 0 && coord < extents[I]) && ...);
  }

  template <int... I>
  constexpr TensorView part(const int (&begin)[Rank], const int (&size)[Rank],
                            std::integer_sequence<int, I...>) const {
    const bool empty = ((begin[I] >= extents[I]) || ...);
    const std::int64_t offset = empty ? 0 : std::int64_t{ref.layout(begin[I]...)};
    return {{ref.data + offset, ref.layout}, {clipped(extents[I] - begin[I], size[I])...}};
  }
};

template <class T, class Layout = RowMajor>
using MatrixView = TensorView<T, Layout, 2>;

// (rows, cols) row-major with consecutive rows ld elements apart.
template <class T>
constexpr MatrixView<T> row_major_view(T* data, int rows, int cols, std::int64_t ld) {
  return {{data, RowMajor{ld}}, {rows, cols}};
}

// (rows, cols) column-major with consecutive columns ld elements apart.
template <class T>
constexpr MatrixView<T, ColumnMajor> column_major_view(T* data, int rows, int cols,
                                                       std::int64_t ld) {
  return {{data, ColumnMajor{ld}}, {rows, cols}};
}

}  // namespace gemm

#pragma once

// The layout itself: a nested shape with a stride for every leaf, read as a function from integers
// to integers.
//
//   (4,(2,2)):(2,(1,8))     L(i) = x0*2 + x1*1 + x2*8, (x0,(x1,x2)) = coordinate(i, (4,(2,2)))
//
// Used for memory (coordinate -> offset) as well as for work distribution (thread, value ->
// position in a tile).

#include "int_tuple.hpp"

namespace layout {

struct Leaf {
  Int extent = 1;
  Int stride = 0;
  constexpr bool operator==(const Leaf&) const = default;
};

// The modes of a flattened layout, in order.
struct Leaves {
  Leaf items[kMaxLeaves]{};
  int count = 0;

  constexpr void push(Leaf leaf) {
    if (count == kMaxLeaves) refuse("a layout of more than ", kMaxLeaves, " modes");
    items[count++] = leaf;
  }
  constexpr const Leaf* begin() const { return items; }
  constexpr const Leaf* end() const { return items + count; }
  constexpr const Leaf& operator[](int i) const { return items[i]; }
  constexpr Leaf& operator[](int i) { return items[i]; }
};

struct Layout {
  IntTuple shape;
  IntTuple stride;

  // n:1, the identity on [0, n) (1:0 for n = 1).
  constexpr Layout(Int n = 1) : Layout(IntTuple(n), IntTuple(n == 1 ? 0 : 1)) {}

  // shape:stride. Refuses a stride that is not nested as the shape is, extents below 1, sizes
  // beyond 2^48.
  //   Layout{{4, {2, 2}}, {2, {1, 8}}}     // (4,(2,2)):(2,(1,8))
  constexpr Layout(const IntTuple& shape_, const IntTuple& stride_)
      : shape(shape_), stride(stride_) {
    if (!congruent(shape, stride))
      refuse("shape ", shape, " and stride ", stride, " are not nested alike");
    for (int node = 0; node < shape.node_count(); ++node) {
      if (shape.is_leaf(node) && shape.nodes[node].value < 1) {
        refuse("the shape ", shape, " has an extent of ", shape.nodes[node].value,
               ", at least 1 is needed");
      }
    }
    cosize(), size();  // refuse overflow
  }

  constexpr int rank() const { return shape.rank(); }
  constexpr Layout mode(int i) const { return Layout(shape[i], stride[i]); }

  // Size of the domain: the product of all extents.
  constexpr Int size() const { return shape.product(); }

  // One past the largest value: 1 + sum of (s_i - 1) d_i.
  constexpr Int cosize() const {
    Int last = 0;
    for (int node = 0; node < shape.node_count(); ++node) {
      if (!shape.is_leaf(node)) continue;
      last = checked_add(last, checked_mul(shape.nodes[node].value - 1, stride.nodes[node].value));
    }
    return last + 1;
  }

  // L(i), i counting the domain in colexicographic order. The last leaf takes the whole quotient: L
  // runs on past its size by its last mode.
  constexpr Int operator()(Int i) const {
    Int offset = 0;
    Int rest = i;
    for (int node = 0, last = shape.node_count() - 1; node <= last; ++node) {
      if (!shape.is_leaf(node)) continue;
      const Int extent = shape.nodes[node].value;
      const Int digit = node == last ? rest : rest % extent;
      offset = checked_add(offset, checked_mul(digit, stride.nodes[node].value));
      rest /= extent;
    }
    return offset;
  }

  // L of a coordinate, nested as the shape or with integers for whole modes: (2,3):(3,1) at (1,2)
  // is 5.
  constexpr Int operator()(const IntTuple& coord) const {
    if (coord.is_leaf()) return (*this)(coord.value());
    if (coord.rank() != rank()) {
      refuse("the coordinate ", coord, " has rank ", coord.rank(), ", the layout has rank ",
             rank());
    }
    Int offset = 0;
    for (int k = 0; k < rank(); ++k) offset = checked_add(offset, mode(k)(coord[k]));
    return offset;
  }
  template <class... Index>
  constexpr Int operator()(Int i, Int j, Index... more) const {
    return (*this)(IntTuple{IntTuple(i), IntTuple(j), IntTuple(Int{more})...});
  }

  constexpr bool operator==(const Layout&) const = default;
};

// shape:stride, e.g. (4,(2,2)):(2,(1,8)).
inline std::string to_string(const Layout& l) {
  return to_string(l.shape) + ":" + to_string(l.stride);
}

// The leaves of a layout, nesting forgotten.
constexpr Leaves leaves(const Layout& l) {
  Leaves result;
  for (int node = 0; node < l.shape.node_count(); ++node) {
    if (l.shape.is_leaf(node)) result.push({l.shape.nodes[node].value, l.stride.nodes[node].value});
  }
  return result;
}

// Back again: no leaf gives 1:0, one leaf s:d, more a flat tuple.
constexpr Layout from_leaves(const Leaves& flat) {
  if (flat.count == 0) return Layout(1);
  if (flat.count == 1) return Layout(IntTuple(flat[0].extent), IntTuple(flat[0].stride));
  IntTuple shape = IntTuple::empty();
  IntTuple stride = IntTuple::empty();
  for (const auto& [extent, step] : flat) shape.push(extent), stride.push(step);
  return Layout(shape, stride);
}

// Builds a layout mode by mode.
class ModeList {
 public:
  constexpr void push(const Layout& mode) {
    shape_.push(mode.shape);
    stride_.push(mode.stride);
  }
  constexpr Layout tuple() const { return Layout(shape_, stride_); }

 private:
  IntTuple shape_ = IntTuple::empty();
  IntTuple stride_ = IntTuple::empty();
};

// The layouts as the modes of one: bundle((2,3):(1,2), 4:10) = ((2,3),4):((1,2),10).
template <class... Modes>
constexpr Layout bundle(const Modes&... modes) {
  ModeList list;
  (list.push(modes), ...);
  return list.tuple();
}

// The modes of A followed by those of B: concat((2,3):(1,2), 4:10) = (2,3,4):(1,2,10).
constexpr Layout concat(const Layout& a, const Layout& b) {
  ModeList list;
  for (int i = 0; i < a.rank(); ++i) list.push(a.mode(i));
  for (int i = 0; i < b.rank(); ++i) list.push(b.mode(i));
  return list.tuple();
}

// Modes first .. last-1 as one mode: group_modes((2,4,4):(1,4,32), 1, 3) = (2,(4,4)):(1,(4,32)).
constexpr Layout group_modes(const Layout& l, int first, int last) {
  if (first < 0 || first >= last || last > l.rank()) {
    refuse("group_modes: modes ", first, " to ", last, " of a layout of rank ", l.rank());
  }
  ModeList outer, inner;
  for (int i = 0; i < l.rank(); ++i) {
    (i >= first && i < last ? inner : outer).push(l.mode(i));
    if (i == last - 1) outer.push(inner.tuple());
  }
  return outer.tuple();
}

namespace detail {
// Compact strides in the order of the leaves (step 1) or against it (step -1). An extent of 1 gets
// stride 0, as CuTe prints it.
constexpr Layout compact(const IntTuple& shape, int step) {
  IntTuple stride = shape;
  Int next = 1;
  const int nodes = shape.node_count();
  for (int node = step > 0 ? 0 : nodes - 1; node >= 0 && node < nodes; node += step) {
    if (!shape.is_leaf(node)) continue;
    const Int extent = shape.nodes[node].value;
    stride.nodes[node].value = extent == 1 ? 0 : next;
    next = checked_mul(next, extent);
  }
  return Layout(shape, stride);
}
}  // namespace detail

// Layout left, the natural layout, column-major: d_0 = 1, d_i = s_(i-1) d_(i-1), so L(i) = i.
//   left((2,3)) = (2,3):(1,2)
constexpr Layout left(const IntTuple& shape) {
  return detail::compact(shape, 1);
}

// Layout right, row-major: d_(n-1) = 1, d_i = s_(i+1) d_(i+1).    right((2,3)) = (2,3):(3,1)
constexpr Layout right(const IntTuple& shape) {
  return detail::compact(shape, -1);
}

}  // namespace layout

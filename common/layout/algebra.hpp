#pragma once

// The algebra: coalesce, complement, composition, inverses.
//
// Examples of every operation: README.md, tests/expressions.cpp. Notation: A = (s_0, s_1,
// ...):(d_0, d_1, ...) with extents s and strides d; a | b reads "a divides b".

#include <utility>

#include "shape_stride.hpp"

namespace layout {

namespace detail {
// Merges neighbours (s_i, s_(i+1)):(d_i, s_i d_i) -> s_i s_(i+1) : d_i and drops extents of 1. With
// keep_last an extent of 1 at the end survives: its stride says how the layout runs on past its
// end.
constexpr Leaves coalesce(const Leaves& flat, bool keep_last = false) {
  Leaves result;
  for (int i = 0; i < flat.count; ++i) {
    const Leaf leaf = flat[i];
    if (leaf.extent == 1 && !(keep_last && i + 1 == flat.count)) continue;
    if (result.count > 0) {
      Leaf& before = result[result.count - 1];
      if (checked_mul(before.extent, before.stride) == leaf.stride) {
        before.extent = checked_mul(before.extent, leaf.extent);
        continue;
      }
    }
    result.push(leaf);
  }
  return result;
}

// The leaves that move, smallest stride first; equal strides stay in order.
constexpr Leaves sorted_by_stride(const Leaves& flat) {
  Leaves result;
  for (const Leaf& leaf : flat) {
    if (leaf.extent == 1 || leaf.stride == 0) continue;
    result.push(leaf);
    for (int k = result.count - 1; k > 0 && result[k].stride < result[k - 1].stride; --k) {
      std::swap(result[k], result[k - 1]);
    }
  }
  return result;
}
}  // namespace detail

// The same function with as few modes as possible:  (s_i, s_(i+1)):(d_i, s_i d_i) = s_i
// s_(i+1):d_i.
constexpr Layout coalesce(const Layout& l) {
  return from_leaves(detail::coalesce(leaves(l)));
}

// Every top-level mode coalesced on its own, so that the rank stays.
constexpr Layout coalesce_modes(const Layout& l) {
  if (l.shape.is_leaf()) return l;
  ModeList list;
  for (int i = 0; i < l.rank(); ++i) list.push(coalesce(l.mode(i)));
  return list.tuple();
}

namespace detail {
enum class Rounding { kStrict, kRound };

constexpr Leaves complement(const Layout& a, Int m, Rounding rounding) {
  if (m < 1) refuse("complement(", a, ", ", m, "): fill at least 1 element");
  const Leaves sorted = sorted_by_stride(leaves(a));
  const bool strict = rounding == Rounding::kStrict;
  Leaves result;
  Int span = 1;  // s_(i-1) d_(i-1): what the modes so far, filled up, cover
  for (const auto& [extent, stride] : sorted) {
    if (stride < span) {
      refuse("complement(", a, ", ", m, "): the mode ", extent, ":", stride, " starts inside the ",
             span, " elements of the modes before it");
    }
    if (strict && stride % span != 0) {
      refuse("complement(", a, ", ", m, "): ", span, " does not divide the stride ", stride);
    }
    result.push({stride / span, span});
    span = checked_mul(extent, stride);
  }
  if (strict && m % span != 0) {
    refuse("complement(", a, ", ", m, "): ", span, " does not divide ", m);
  }
  result.push({ceil_div(m, span), span});
  return result;
}
}  // namespace detail

// What A must be repeated by to fill M: with the modes of A sorted by stride (stride 0 and extent 1
// left out),
//   complement(A, M) = (d_0, d_1/(s_0 d_0), ..., M/(s_a d_a)) : (1, s_0 d_0, ..., s_a d_a)
// and coalesced. No sum of a value of A and one of the complement comes up twice, and where all
// divisions are exact these sums are [0, M) without a gap.
// Inexact divisions round as CuTe rounds them (inner ones down: some integers stay empty; the last
// one up). Refuses a mode that starts inside the one before it: d_i < s_(i-1) d_(i-1).
constexpr Layout complement(const Layout& a, Int m) {
  return from_leaves(detail::coalesce(detail::complement(a, m, detail::Rounding::kRound)));
}

// The same, refusing every inexact division: s_(i-1) d_(i-1) | d_i and s_a d_a | M.
constexpr Layout complement_strict(const Layout& a, Int m) {
  return from_leaves(detail::coalesce(detail::complement(a, m, detail::Rounding::kStrict)));
}

namespace detail {
// One composition A o B under way. A is flat and coalesced: an integer in A's domain is a row of
// digits, one per mode of A. A leaf s:d of B counts in steps of d; A o s:d is a layout where the
// digits count along with it.
struct Composer {
  Leaves a;
  const Layout& whole_a;
  const Layout& whole_b;
  Int reach[kMaxLeaves]{};  // per digit: the most that the leaves of B put into it together

  constexpr void admit(bool holds, Leaf b, Int divisor, Int dividend) const {
    if (!holds) {
      refuse("compose(", whole_a, ", ", whole_b, "): the mode ", b.extent, ":", b.stride,
             " does not fit, ", divisor, " does not divide ", dividend);
    }
  }

  constexpr Layout leaf(Leaf b) {
    if (b.extent == 1) return Layout(IntTuple(1), IntTuple(from_leaves(a)(b.stride)));
    Leaves result;
    Int extent = b.extent;  // still to be placed
    Int stride = b.stride;  // in units of the digit at hand
    int i = 0;
    for (; i + 1 < a.count && (extent - 1) * stride >= a[i].extent; ++i) {
      const auto [digit, step] = a[i];
      if (stride >= digit) {  // passes over this digit
        admit(stride % digit == 0, b, digit, stride);
        stride /= digit;
        continue;
      }
      admit(digit % stride == 0, b, stride, digit);
      const Int taken = digit / stride;  // fills this digit in steps of stride, then carries
      admit(extent % taken == 0, b, taken, extent);
      result.push({taken, stride * step});
      reach[i] += (taken - 1) * stride;
      extent /= taken;
      stride = 1;
    }
    result.push({extent, checked_mul(stride, a[i].stride)});  // what is left stays within one digit
    reach[i] = checked_add(reach[i], checked_mul(extent - 1, stride));
    return from_leaves(result);
  }

  constexpr Layout tree(const Layout& b) {
    if (b.shape.is_leaf()) return leaf({b.shape.value(), b.stride.value()});
    ModeList list;
    for (int i = 0; i < b.rank(); ++i) list.push(tree(b.mode(i)));
    return list.tuple();
  }

  // A(x + y) = A(x) + A(y) only as long as no digit overflows.
  constexpr void refuse_carries() const {
    for (int i = 0; i + 1 < a.count; ++i) {
      if (reach[i] >= a[i].extent) {
        refuse("compose(", whole_a, ", ", whole_b, "): the modes of B together reach ", reach[i],
               " in the mode ", a[i].extent, ":", a[i].stride, " and would carry into the next");
      }
    }
  }
};

// keep_end: A runs on past its size by its last mode, which therefore stays even where its extent
// is 1.
constexpr Layout compose(const Layout& a, const Leaves& flat_a, const Layout& b, bool keep_end) {
  Composer composer{coalesce(flat_a, keep_end), a, b};
  if (composer.a.count == 0) composer.a.push({1, 0});
  const Layout result = composer.tree(b);
  composer.refuse_carries();
  return result;
}
}  // namespace detail

// A o B: i -> A(B(i)), in the shape of B (whose leaves may become tuples).
// For A = (s_0, ..., s_a):(d_0, ..., d_a), coalesced, and a leaf s:d of B, walk over the modes of
// A:
//   (s-1) d < s_i              the leaf ends here, as s:(d d_i)
//   s_i | d                    go on with s:(d/s_i)
//   d | s_i and s_i/d | s      split off (s_i/d):(d d_i), go on with s/(s_i/d):1
// Refuses where these divisibilities fail, where two modes of B together carry from one mode of A
// into the next, and where B leaves the domain of A.
constexpr Layout compose(const Layout& a, const Layout& b) {
  const Int reach = b.cosize();
  if (reach > a.size()) {
    refuse("compose(", a, ", ", b, "): B reaches ", reach - 1, ", the domain of A ends at ",
           a.size() - 1);
  }
  return detail::compose(a, leaves(a), b, false);
}

// The same without the last condition: past its size A runs on by its last mode, as in CuTe.
constexpr Layout compose_extended(const Layout& a, const Layout& b) {
  return detail::compose(a, leaves(a), b, true);
}

// The layout seen through another shape: L o left(shape).
constexpr Layout with_shape(const Layout& l, const IntTuple& shape) {
  return compose(l, left(shape));
}

namespace detail {
// One leaf of an inverse for each leaf of A whose stride continues the count 1, s, s s', ...: the
// leaf s:d of A becomes s:(product of the extents before it in A). Returns how far the count came.
constexpr Int invert(const Layout& l, Leaves& result) {
  const Leaves flat = coalesce(leaves(l));
  const Leaves sorted = sorted_by_stride(flat);
  Int count = 1;
  for (const Leaf& leaf : sorted) {
    if (leaf.stride != count) continue;
    Int before = 1;
    for (int k = 0; !(flat[k] == leaf); ++k) before = checked_mul(before, flat[k].extent);
    result.push({leaf.extent, before});
    count = checked_mul(count, leaf.extent);
  }
  return count;
}
}  // namespace detail

// R with L(R(i)) = i for all i < size(R): the modes of L sorted by stride, as long as each stride
// continues the ones before (1, s, s s', ...); the stride of a mode in R is the product of the
// extents before it in L.
// Defined for every layout: where the values of L leave a gap, R ends there (1:0 if 1 is not a
// value of a mode).
constexpr Layout right_inverse(const Layout& l) {
  Leaves result;
  detail::invert(l, result);
  return from_leaves(result);
}

// The inverse of a bijection of [0, size): L(R(i)) = R(L(i)) = i. Refuses a layout with gaps or
// repeated values.
constexpr Layout inverse(const Layout& l) {
  Leaves result;
  const Int count = detail::invert(l, result);
  if (count != l.size()) {
    refuse("inverse(", l, "): not a bijection of [0, ", l.size(), "), no mode of stride ", count,
           " continues the values 0 to ", count - 1);
  }
  return from_leaves(result);
}

// R with R(L(i)) = i for a layout that repeats no value but may leave gaps:
//   R = inverse((L, complement of L))
//   left_inverse((2,2):(1,4)) = (2,2,2):(1,4,2), and its values at 0, 1, 4, 5 are 0, 1, 2, 3
// Refuses what complement_strict refuses, and a mode of stride 0.
constexpr Layout left_inverse(const Layout& l) {
  const Leaves sorted = detail::sorted_by_stride(leaves(l));
  const Leaf last = sorted.count == 0 ? Leaf{1, 1} : sorted[sorted.count - 1];
  const Int span = checked_mul(last.extent, last.stride);
  return inverse(bundle(l, complement_strict(l, span)));
}

}  // namespace layout

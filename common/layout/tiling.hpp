#pragma once

// Divides cut a layout into tiles, products repeat a layout as a tile.
//
// Both come in several forms that hold the same modes in another nesting. A tile of shape (x,y),
// and (z,w) of them:
//   logical product, zipped  ((x,y),(z,w))        blocked  ((x,z),(y,w))
//   tiled                    ((x,y),z,w)          raked    ((z,x),(w,y))
// The logical divide by a tile nests as blocked does.

#include <concepts>

#include "algebra.hpp"

namespace layout {

inline constexpr int kMaxTileRank = 6;

// <B_0, B_1, ...>: one layout per mode of what is tiled. Tile(4, 8) stands for <4:1, 8:1>.
// Operations take it as `std::same_as<Tile> auto`, so that a second operand in braces is a layout:
// compose(a, {4, 3}) is compose(a, 4:3).
struct Tile {
  Layout modes[kMaxTileRank];
  int count = 0;

  template <std::convertible_to<Layout>... Modes>
  constexpr explicit Tile(const Modes&... each) {
    (push(Layout(each)), ...);
  }
  constexpr void push(const Layout& mode) {
    if (count == kMaxTileRank) refuse("a tile of more than ", kMaxTileRank, " modes");
    modes[count++] = mode;
  }
};

inline std::string to_string(const Tile& tile) {
  std::string text = "<";
  for (int i = 0; i < tile.count; ++i) {
    if (i > 0) text += ',';
    text += to_string(tile.modes[i]);
  }
  text += '>';
  return text;
}

namespace detail {
// operation(A_i, B_i) for every mode of the tile; modes beyond it stay.
template <class Operation>
constexpr Layout by_mode(const char* name, const Layout& a, const Tile& tile, Operation operation) {
  if (tile.count < 1 || tile.count > a.rank()) {
    refuse(name, ": the tile ", tile, " has ", tile.count, " modes, ", a, " has ", a.rank());
  }
  ModeList list;
  for (int i = 0; i < a.rank(); ++i) {
    list.push(i < tile.count ? operation(a.mode(i), tile.modes[i]) : a.mode(i));
  }
  return list.tuple();
}

// ((a0,b0), (a1,b1), ..., c) -> ((a0,a1,...), (b0,b1,...,c)): the first `pairs` modes unzipped, the
// rest joins the right.
constexpr Layout unzip(const Layout& l, int pairs) {
  ModeList first;
  ModeList second;
  for (int i = 0; i < pairs; ++i) {
    first.push(l.mode(i).mode(0));
    second.push(l.mode(i).mode(1));
  }
  for (int i = pairs; i < l.rank(); ++i) second.push(l.mode(i));
  return bundle(first.tuple(), second.tuple());
}
}  // namespace detail

// By mode: A_i o B_i, modes beyond the tile stay.   compose((8,8):(8,1), <4, 8>) = (4,8):(8,1)
constexpr Layout compose(const Layout& a, const std::same_as<Tile> auto& tile) {
  return detail::by_mode("compose", a, tile,
                         [](const Layout& x, const Layout& y) { return compose(x, y); });
}

// A cut into tiles of the form B:  A o (B, complement(B, size(A))) = (tile, rest).
// The values of the result are those of A, reordered. Refuses where B does not fill size(A) exactly
// (see complement_strict) or the composition does not exist.
constexpr Layout logical_divide(const Layout& a, const Layout& b) {
  const Layout rest = complement_strict(b, a.size());
  if (checked_mul(b.size(), rest.size()) != a.size()) {
    refuse("logical_divide(", a, ", ", b, "): the tile repeats values, ", b.size(), " times ",
           rest.size(), " tiles are not ", a.size());
  }
  return compose(a, bundle(b, rest));
}

// By mode: ((tile_0,rest_0), (tile_1,rest_1), ...), modes beyond the tile stay.
constexpr Layout logical_divide(const Layout& a, const std::same_as<Tile> auto& tile) {
  return detail::by_mode("logical_divide", a, tile,
                         [](const Layout& x, const Layout& y) { return logical_divide(x, y); });
}

// ((tile_0,tile_1,...), (rest_0,rest_1,...)): the first index walks inside a tile, the second over
// the tiles.
constexpr Layout zipped_divide(const Layout& a, const std::same_as<Tile> auto& tile) {
  return detail::unzip(logical_divide(a, tile), tile.count);
}
constexpr Layout zipped_divide(const Layout& a, const Layout& b) {
  return logical_divide(a, b);
}

// ((tile_0,tile_1,...), rest_0, rest_1, ...).
template <class TileOrLayout>
constexpr Layout tiled_divide(const Layout& a, const TileOrLayout& tile) {
  const Layout zipped = zipped_divide(a, tile);
  return concat(bundle(zipped.mode(0)), zipped.mode(1));
}

// (A, what of A's complement B picks):  (A, complement(A, size(A) cosize(B)) o B).
// B's values count copies of A; the complement rounds as CuTe rounds it and runs on past its end.
// Refuses where the complement does not exist or does not compose with B.
constexpr Layout logical_product(const Layout& a, const Layout& b) {
  const Int filled = checked_mul(a.size(), b.cosize());
  const Leaves free = detail::complement(a, filled, detail::Rounding::kRound);
  return bundle(a, detail::compose(complement(a, filled), free, b, true));
}

// The same where A leaves no gap that the copies do not fill: refuses every inexact division in
// complement(A, size(A) cosize(B)).
constexpr Layout logical_product_strict(const Layout& a, const Layout& b) {
  return bundle(a, compose(complement_strict(a, checked_mul(a.size(), b.cosize())), b));
}

// By mode: logical_product((2,5):(5,1), <3:5, 4:6>) = ((2,3),(5,4)):((5,10),(1,30)).
constexpr Layout logical_product(const Layout& a, const std::same_as<Tile> auto& tile) {
  return detail::by_mode("logical_product", a, tile,
                         [](const Layout& x, const Layout& y) { return logical_product(x, y); });
}

// ((x,y),(z,w)): as the logical product of two layouts, the by-mode product unzipped.
constexpr Layout zipped_product(const Layout& a, const std::same_as<Tile> auto& tile) {
  return detail::unzip(logical_product(a, tile), tile.count);
}
constexpr Layout zipped_product(const Layout& a, const Layout& b) {
  return logical_product(a, b);
}

// ((x,y),z,w):  tiled_product((2,5):(5,1), (3,4):(1,3)) = ((2,5),3,4):((5,1),10,30)
template <class TileOrLayout>
constexpr Layout tiled_product(const Layout& a, const TileOrLayout& b) {
  const Layout zipped = zipped_product(a, b);
  return concat(bundle(zipped.mode(0)), zipped.mode(1));
}

namespace detail {
constexpr Layout pad_rank(const Layout& l, int rank) {
  ModeList list;
  for (int i = 0; i < rank; ++i) list.push(i < l.rank() ? l.mode(i) : Layout(1));
  return list.tuple();
}

// Mode i of the block beside mode i of the repetition, the block first or last.
constexpr Layout ranked_product(const Layout& a, const Layout& b, bool block_first,
                                Rounding rounding) {
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  const Layout block = pad_rank(a, rank), copies = pad_rank(b, rank);
  const Layout product = rounding == Rounding::kStrict ? logical_product_strict(block, copies)
                                                       : logical_product(block, copies);
  ModeList list;
  for (int i = 0; i < rank; ++i) {
    const Layout x = product.mode(0).mode(i), z = product.mode(1).mode(i);
    list.push(block_first ? bundle(x, z) : bundle(z, x));
  }
  return list.tuple();
}
}  // namespace detail

// ((x,z),(y,w)): copies of A side by side, mode by mode, in the order that B says.
//   blocked_product((4,3):(4,1), (1,2):(0,1)) = ((4,1),(3,2)):((4,0),(1,16)),
//   and that by (2,1):(1,0)                   = (((4,1),2),((3,2),1)):(((4,0),32),((1,16),0)), but
//   blocked_product((4,3):(4,1), (2,2):(1,2)) = ((4,2),(3,2)):((4,16),(1,32))
// The shorter of the two layouts is padded with modes 1:0. Refuses what logical_product refuses;
// the base above leaves 3, 7 and 11 empty, so the strict form refuses it.
constexpr Layout blocked_product(const Layout& a, const Layout& b) {
  return detail::ranked_product(a, b, true, detail::Rounding::kRound);
}
constexpr Layout blocked_product_strict(const Layout& a, const Layout& b) {
  return detail::ranked_product(a, b, true, detail::Rounding::kStrict);
}

// ((z,x),(w,y)): the copies interleaved element by element.
constexpr Layout raked_product(const Layout& a, const Layout& b) {
  return detail::ranked_product(a, b, false, detail::Rounding::kRound);
}
constexpr Layout raked_product_strict(const Layout& a, const Layout& b) {
  return detail::ranked_product(a, b, false, detail::Rounding::kStrict);
}

// A repeated up to the given shape, tiles in colexicographic order:
//   blocked_product(A, left(shape / shape(A)))
// A mode that is not repeated keeps the stride its next tile would have. With order (1,0) the tiles
// follow each other along mode 1 first: order gives the rank of each mode, smallest first. Refuses
// extents that A's do not divide.
constexpr Layout tile_to_shape(const Layout& a, const IntTuple& shape, const IntTuple& order) {
  const int rank = shape.rank();
  if (a.rank() > rank) refuse("tile_to_shape: ", a, " has more modes than the shape ", shape);
  if (order.rank() != rank)
    refuse("tile_to_shape: the order ", order, " does not have ", rank, " entries");
  const Layout block = detail::pad_rank(a, rank);
  Int repeats[kMaxNodes]{};
  for (int i = 0; i < rank; ++i) {
    const Int extent = block.mode(i).size();
    const Int target = shape[i].product();
    if (target < 1 || target % extent != 0) {
      refuse("tile_to_shape(", a, ", ", shape, "): the extent ", extent, " of mode ", i,
             " does not divide ", target);
    }
    repeats[i] = target / extent;
  }
  IntTuple copies = IntTuple::empty();
  IntTuple strides = IntTuple::empty();
  for (int i = 0; i < rank; ++i) {
    Int before = 1;  // copies in the modes that come before this one in the order
    for (int k = 0; k < rank; ++k) {
      const Int mine = order[i].product();
      const Int other = order[k].product();
      if (other < mine || (other == mine && k < i)) before = checked_mul(before, repeats[k]);
    }
    copies.push(IntTuple(repeats[i]));
    strides.push(IntTuple(before));
  }
  return blocked_product(block, Layout(copies, strides));
}
constexpr Layout tile_to_shape(const Layout& a, const IntTuple& shape) {
  IntTuple order = IntTuple::empty();
  for (int i = 0; i < shape.rank(); ++i) order.push(IntTuple(i));
  return tile_to_shape(a, shape, shape.is_leaf() ? IntTuple(0) : order);
}

// The same memory counted in other elements, from `from_bits` to `to_bits` wide.
//   wider, n = to/from        s:d -> s:(d/n) where n | d;  max(1, s d/n):1 where d | n;  s:0 stays
//   narrower, n = from/to     s:1 -> (s n):1;  every other s:d -> s:(d n)
// Refuses inexact divisions, a layout that fills the wider elements only in part, and narrower
// elements where no mode or more than one has stride 1 ((8,1):(1,1) does not say which mode is to
// be cut).
constexpr Layout recast(const Layout& l, Int from_bits, Int to_bits) {
  if (from_bits < 1 || to_bits < 1 || (from_bits % to_bits != 0 && to_bits % from_bits != 0)) {
    refuse("recast(", l, "): ", from_bits, " and ", to_bits, " bits, neither divides the other");
  }
  Layout result = l;
  const Int wider = to_bits / from_bits;
  const Int narrower = from_bits / to_bits;
  int cut = 0;
  for (int node = 0; node < l.shape.node_count(); ++node) {
    if (!l.shape.is_leaf(node)) continue;
    Int& extent = result.shape.nodes[node].value;
    Int& stride = result.stride.nodes[node].value;
    if (wider >= 1 && stride % wider == 0) {
      stride /= wider;
    } else if (wider >= 1) {
      if (wider % stride != 0)
        refuse("recast(", l, "): the stride ", stride, " and ", wider,
               ", neither divides the other");
      const Int merged = wider / stride;
      if (extent % merged != 0 && merged % extent != 0) {
        refuse("recast(", l, "): the extent ", extent, " and ", merged,
               ", neither divides the other");
      }
      extent = extent < merged ? 1 : extent / merged;
      stride = 1;
    } else if (stride == 1) {
      extent = checked_mul(extent, narrower);
      ++cut;
    } else {
      stride = checked_mul(stride, narrower);
    }
  }
  if (wider < 1 && cut != 1)
    refuse("recast(", l, "): ", cut, " modes have stride 1, cutting elements needs exactly one");
  if (wider >= 1 && result.shape.product() * wider != l.size()) {
    refuse("recast(", l, "): ", l.size(), " elements do not fill ", result.shape.product(), " of ",
           wider, " times the width");
  }
  return Layout(result.shape, result.stride);
}

}  // namespace layout

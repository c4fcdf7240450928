#pragma once

// Atoms repeated over the threads of a block: tiled mma, tiled copy, and how they cut tensors.

#include "atoms.hpp"
#include "swizzle.hpp"

namespace layout {

// (thread, value) -> position in a tile of the given shape (positions in colexicographic order).
struct TiledTv {
  Layout tv;
  IntTuple tile;
  constexpr Int threads() const { return tv.shape[0].product(); }
  constexpr Int values() const { return tv.shape[1].product(); }
};

enum class Operand { kA, kB, kC };

// The TV layout of one operand when atoms (a layout of rank 3 over m, n, k that numbers the warps
// or warpgroups) work side by side on a tile of permutation = <PM, PN, PK>. Where a P is larger
// than atom times count, each thread gets the further repetitions as values; a P that is a layout
// also permutes that direction.
//   T = (atom threads, copies over m, n, k)    V = (atom values, (repetitions along rows, columns))
//   B of m16n8k16, atoms (2,2,1):
//   <32,16,16>  ((4,8,2,2),((2,2),(1,1))):((32,1,0,8),((16,128),(0,0))) in a tile (16,16)
//   <32,32,16>  ((4,8,2,2),((2,2),(2,1))):((64,1,0,8),((32,256),(16,0))) in a tile (32,16)
// Refuses a P that atom times count does not divide, and atom layouts that are not bijections.
constexpr TiledTv tiled_mma(const MmaAtom& atom, const Layout& atoms, const Tile& permutation,
                            Operand operand) {
  if (atoms.rank() != 3 || permutation.count != 3) {
    refuse("tiled_mma: the atom layout ", atoms, " and the permutation ", permutation,
           " need 3 modes (m,n,k)");
  }
  const Int atom_shape[3] = {atom.m, atom.n, atom.k};
  const int row = operand == Operand::kB ? 1 : 0;
  const int col = operand == Operand::kC ? 1 : 2;
  for (int mode = 0; mode < 3; ++mode) {
    const Int step = checked_mul(atom_shape[mode], atoms.mode(mode).size());
    const Int extent = permutation.modes[mode].size();
    if (extent % step != 0) {
      refuse("tiled_mma: ", atoms.mode(mode).size(), " atoms of ", atom_shape[mode], " in mode ",
             mode, " do not divide the tile's ", extent);
    }
  }
  const Layout& p_row = permutation.modes[row];
  const Layout& p_col = permutation.modes[col];
  const IntTuple tile{p_row.size(), p_col.size()};
  // ((atom rows, atom cols), (rest rows, rest cols)) -> position in the tile
  const Layout zipped = zipped_divide(compose(left(tile), Tile(p_row, p_col)),
                                      Tile(atom_shape[row], atom_shape[col]));
  const Layout& atom_tv = operand == Operand::kA   ? atom.a
                          : operand == Operand::kB ? atom.b
                                                   : atom.c;
  const Layout tv = compose(zipped.mode(0), atom_tv);
  // ((copies, repetitions), (copies, repetitions)): which warp or warpgroup, and how often it comes
  // again
  const Layout rest =
      logical_divide(zipped.mode(1), Tile(atoms.mode(row).size(), atoms.mode(col).size()));
  ModeList copies;
  for (int mode = 0; mode < 3; ++mode) {
    copies.push(mode == row   ? rest.mode(0).mode(0)
                : mode == col ? rest.mode(1).mode(0)
                              : Layout{IntTuple(atoms.mode(mode).size()), IntTuple(0)});
  }
  const Layout copy =
      compose(copies.tuple(), inverse(atoms));  // number of the warp -> its first position
  Leaves threads;                               // extents of 1 left out: they hold no thread
  for (const Leaf& leaf : leaves(concat(tv.mode(0), copy))) {
    if (leaf.extent != 1) threads.push(leaf);
  }
  return {bundle(from_leaves(threads),
                 bundle(tv.mode(1), bundle(rest.mode(0).mode(1), rest.mode(1).mode(1)))),
          tile};
}

// The tiled copy in which (m,n) is handled by thread thr(m,n) and is its value val(m,n), a block of
// values per thread:
//   TV = with_shape(inverse(raked_product(thr, val)), (threads, values))
// where the raked product is (m,n) -> thread + threads value.
// Refuses thread or value layouts that leave gaps.
constexpr TiledTv tiled_copy(const Layout& thr, const Layout& val) {
  inverse(thr), inverse(val);  // every thread and every value once
  const Layout mn = raked_product(thr, val);
  IntTuple tile = IntTuple::empty();
  for (int i = 0; i < mn.rank(); ++i) tile.push(IntTuple(mn.mode(i).size()));
  return {with_shape(inverse(mn), {thr.size(), val.size()}), tile};
}

// What the source side of a copy holds so that the destination side is `tiled`: tiled divided by
// the atom, then
//   source TV = tiled o inverse(atom destination) o atom source
// With ldmatrix.x4 and the B operand above, each source thread holds 8 neighbours along k: one row
// address. Refuses a TV whose threads or values the atom's do not divide (x4 wants 8 values,
// permutation <32,16,16> has 4).
constexpr TiledTv source_tv(const CopyAtom& atom, const TiledTv& tiled) {
  const Layout& known = atom.destination;
  const Layout zipped =  // ((t, v), (rest t, rest v))
      zipped_divide(tiled.tv, Tile(known.shape[0].product(), known.shape[1].product()));
  const Layout tv = compose(zipped.mode(0), compose(inverse(known), atom.source));
  const Layout rest = zipped.mode(1);
  return {bundle(bundle(tv.mode(0), rest.mode(0)), bundle(tv.mode(1), rest.mode(1))), tiled.tile};
}
// The mirror image, for stores from registers: what the destination side holds where tiled is the
// source.
constexpr TiledTv destination_tv(const CopyAtom& atom, const TiledTv& tiled) {
  return source_tv({atom.destination, atom.source}, tiled);
}

// A tensor (M,N) cut by a TV layout: (T, V, M/m, N/n) -> the tensor's offsets.
// Refuses extents that the tile does not divide.
constexpr Layout partition(const Layout& tensor, const TiledTv& tiled) {
  const Layout zipped = zipped_divide(tensor, Tile(tiled.tile[0].value(), tiled.tile[1].value()));
  return concat(compose(zipped.mode(0), tiled.tv), zipped.mode(1));
}
constexpr Swizzled partition(const Swizzled& tensor, const TiledTv& tiled) {
  return {tensor.swizzle, partition(tensor.layout, tiled)};
}

// What each thread gets of a tensor (M,N): (V, M/m, N/n).
//   A of atoms (2,2,1) of m16n8k16, tensor (128,32): (8,4,2)
constexpr IntTuple partition_shape(const TiledTv& tiled, Int rows, Int cols) {
  const Layout parts = partition(Layout{{rows, cols}, {1, rows}}, tiled);
  return {tiled.values(), parts.shape[2].product(), parts.shape[3].product()};
}

// The values of thread 0 of a partition: (V, M/m, N/n) -> offsets.
constexpr Layout thread_values(const Layout& partitioned) {
  ModeList list;
  for (int i = 1; i < partitioned.rank(); ++i) list.push(partitioned.mode(i));
  return list.tuple();
}

// The registers of one partition, addressed as another: where `from` and `to` are the positions of
// one thread's values under both,
//   retile = registers o left_inverse(from) o to
// The registers stay, only their indices change. Accumulators ((2,2),4,8):((1,2),4,16) of m16n8k16
// in tiles of 32x16, seen by a copy of two values at a time that takes tiles of 32x32:
//   ((2,(2,2)),4,4):((1,(2,16)),4,32)
// Refuses where the two do not give the thread the same positions.
constexpr Layout retile(const Layout& registers, const Layout& from, const Layout& to) {
  if (from.size() != to.size() || from.cosize() != to.cosize()) {
    refuse("retile: ", from, " and ", to, " do not hold the same positions");
  }
  const Layout value_of = compose(left_inverse(from), to);
  if (value_of.cosize() != from.size())
    refuse("retile: ", to, " holds positions that ", from, " does not");
  return compose(registers, value_of);
}

// Refuses a copy of `elements` at a time (the size of its vector) over a (T, V) layout of offsets
// whose values are not stored that way: the first mode of V must be contiguous, and every other
// stride a multiple of the vector.
//   C of m16n8k16 in a row-major tile of 32 columns, 16-bit: 2 elements (32 bits) pass, 4 elements
//   (64 bits) do not
constexpr void require_vector(const Layout& tv, Int elements) {
  const Leaves values = detail::coalesce(leaves(tv.mode(1)));
  const Int run = values.count > 0 && values[0].stride == 1 ? values[0].extent : 1;
  if (elements < 1 || run % elements != 0) {
    refuse("a vector copy of ", elements, " elements: only ", run, " of the values in ", tv.mode(1),
           " are contiguous");
  }
  const auto require = [elements](const Leaves& modes, int first, const char* stride) {
    for (int i = first; i < modes.count; ++i) {
      if (modes[i].extent == 1 || modes[i].stride % elements == 0) continue;
      refuse("a vector copy of ", elements, " elements: ", elements, " does not divide the ",
             stride, modes[i].stride);
    }
  };
  require(values, run == 1 ? 0 : 1, "stride ");
  require(leaves(tv.mode(0)), 0, "thread stride ");
}
constexpr void require_vector(const Swizzled& tv, Int elements) {
  require_vector(tv.layout, elements);
  const Int kept = Int{1} << tv.swizzle.m;
  if (tv.swizzle.b > 0 && kept % elements != 0) {
    refuse("a vector copy of ", elements, " elements: ", tv.swizzle, " keeps only ", kept,
           " together");
  }
}

}  // namespace layout

#pragma once

// What one instruction moves or multiplies, as thread-value layouts: (thread, value) -> position.
//
// Positions in a matrix tile count in colexicographic order, so in a 16x8 tile position = row + 16
// col. Values are the elements a thread holds, in the order of its registers.

#include "tiling.hpp"

namespace layout {

// D = A B + C on tiles A (m,k), B (n,k), C and D (m,n).
struct MmaAtom {
  Int m;
  Int n;
  Int k;
  Layout a;  // (thread, value) -> m + k M
  Layout b;  // (thread, value) -> n + k N
  Layout c;  // (thread, value) -> m + n M
};

// mma.sync.m16n8k16 with 16-bit A and B (PTX ISA, "Matrix Fragments for mma.m16n8k16"). Lane l,
// value v:
//   A  row l/4 + 8 (v/2 % 2),  column 2 (l%4) + v%2 + 8 (v/4)       8 values
//   B  row (n) l/4,            column (k) 2 (l%4) + v%2 + 8 (v/2)   4 values
//   C  row l/4 + 8 (v/2),      column 2 (l%4) + v%2                 4 values
constexpr MmaAtom mma_m16n8k16() {
  return {16,
          8,
          16,
          Layout{{{4, 8}, {2, 2, 2}}, {{32, 1}, {16, 8, 128}}},
          Layout{{{4, 8}, {2, 2}}, {{16, 1}, {8, 64}}},
          Layout{{{4, 8}, {2, 2}}, {{32, 1}, {16, 8}}}};
}

// wgmma.m64nNk16 with 16-bit A and B, 128 threads, warp w on rows 16w .. 16w+15. A from registers
// and the accumulator:
//   A  row 16 w + l/4 + 8 (v/2 % 2),  column 2 (l%4) + v%2 + 8 (v/4)    8 values
//   D  row 16 w + l/4 + 8 (v/2 % 2),  column 2 (l%4) + v%2 + 8 (v/4)    N/2 values
// B stays in shared memory: every thread "holds" all of it. Refuses N that is not one of 8, 16,
// ..., 256.
constexpr MmaAtom wgmma_m64k16(Int n) {
  if (n < 8 || n > 256 || n % 8 != 0)
    refuse("wgmma: N = ", n, " is not a multiple of 8 from 8 to 256");
  const Layout a{{{4, 8, 4}, {2, 2, 2}}, {{128, 1, 16}, {64, 8, 512}}};
  const Layout b{{128, {n, 16}}, {0, {1, n}}};
  const Layout c{{{4, 8, 4}, {2, 2, n / 8}}, {{128, 1, 16}, {64, 8, 512}}};
  return {64, n, 16, a, b, c};
}

// Data on its way through a copy: element (thread, value) of the source and of the destination that
// map to the same number are the same element. The numbers are names, not addresses.
struct CopyAtom {
  Layout source;
  Layout destination;
};

// ldmatrix.xN, in bits. The source side: thread t supplies the address of one row of 128 bits; with
// x1 (x2) the rows of threads 0-7 (0-15) count and the others repeat them. The destination side:
// thread t receives 32 bits of every 8x8 matrix, row t/4, columns 2 (t%4) and 2 (t%4) + 1; with
// .trans column t/4, rows 2 (t%4) and 2 (t%4) + 1.
//   x4         (32,128):(128,1)          -> (32,(32,4)):(32,(1,1024))
//   x4.trans   (32,128):(128,1)          -> ((4,8),(16,2,4)):((256,16),(1,128,1024))
//   x1         ((8,4),128):((128,0),1)   -> (32,32):(32,1)
// Refuses other counts than 1, 2 and 4.
constexpr CopyAtom ldmatrix_bits(int count, bool transposed) {
  if (count != 1 && count != 2 && count != 4)
    refuse("ldmatrix.x", count, ": there are x1, x2 and x4");
  const Int rows = 8 * Int{count};
  const Layout lanes = rows == 32 ? Layout{32, 128} : Layout{{rows, 32 / rows}, {128, 0}};
  const Layout values = count == 1 ? Layout(32) : Layout{{32, Int{count}}, {1, 1024}};
  const Layout values_t =
      count == 1 ? Layout{{16, 2}, {1, 128}} : Layout{{16, 2, Int{count}}, {1, 128, 1024}};
  const Layout plain = bundle(Layout{32, 32}, values);
  const Layout trans = bundle(Layout{{4, 8}, {256, 16}}, values_t);
  return {bundle(lanes, Layout(128)), transposed ? trans : plain};
}

// The same in elements: ldmatrix(4, false, 16) = (32,8):(8,1) -> (32,(2,4)):(2,(1,64)).
// .trans exists for 16-bit elements only.
constexpr CopyAtom ldmatrix(int count, bool transposed, Int element_bits = 16) {
  if (transposed && element_bits != 16)
    refuse("ldmatrix.trans moves 16-bit elements, not ", element_bits, "-bit ones");
  const CopyAtom bits = ldmatrix_bits(count, transposed);
  return {coalesce_modes(recast(bits.source, 1, element_bits)),
          coalesce_modes(recast(bits.destination, 1, element_bits))};
}
// stmatrix.xN: the same fragments, registers to shared memory.
constexpr CopyAtom stmatrix(int count, bool transposed, Int element_bits = 16) {
  const CopyAtom load = ldmatrix(count, transposed, element_bits);
  return {load.destination, load.source};
}

// One thread copies `elements` consecutive elements: a plain, vector or cp.async copy.
constexpr CopyAtom vector_copy(Int elements) {
  const Layout values = bundle(Layout(1), Layout(elements));
  return {values, values};
}

}  // namespace layout

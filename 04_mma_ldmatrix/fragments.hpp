#pragma once
// Where every element is: in shared memory, in the registers of which thread, in C. All of it as
// layouts, made by the algebra of common/layout; the kernel evaluates them with layout::at.

#include <gemm/problem.hpp>
#include <layout/layout.hpp>

namespace mma_ldmatrix {

using gemm::Major;
using layout::Layout;

// A tile of kRows rows (of M or N) and kDepth columns (of K) in shared memory: lines of kLength
// neighbours, as the matrix itself has them. The 8 elements that stay free after each make a line
// an odd number of 16-byte units, and then eight units below one another lie in different banks.
template <Major kMajor, int kRows, int kDepth>
struct OperandTile {
  static constexpr int kLines = kMajor == Major::kK ? kRows : kDepth;
  static constexpr int kLength = kMajor == Major::kK ? kDepth : kRows;
  static constexpr int kPitch = kLength + 8;
  static constexpr int kSize = kLines * kPitch;  // elements
  static_assert(kPitch % 16 == 8);

  static constexpr Layout kElement =  // (row, k) -> element
      kMajor == Major::kK ? Layout{{kRows, kDepth}, {kPitch, 1}}
                          : Layout{{kRows, kDepth}, {1, kPitch}};
};

// kWarpsM x kWarpsN warps, each with atoms of m16n8k16 side by side and one after the other. The
// tile is twice as wide in N as the warps' atoms: a thread then holds 8 values of B as it does of
// A, what one ldmatrix.x4 brings.
template <int kWarpsM, int kWarpsN>
struct TiledMma {
  static constexpr int kM = 16 * kWarpsM, kN = 16 * kWarpsN, kK = 16;
  static constexpr layout::TiledTv of(layout::Operand operand) {
    return layout::tiled_mma(layout::mma_m16n8k16(), layout::left({kWarpsM, kWarpsN, 1}),
                             layout::Tile(kM, kN, kK), operand);
  }
  static constexpr layout::TiledTv kA = of(layout::Operand::kA);
  static constexpr layout::TiledTv kB = of(layout::Operand::kB);
  static constexpr layout::TiledTv kC = of(layout::Operand::kC);
};

// An operand's tile as the threads see it: (thread, value, i, step) -> element, where i counts
// repetitions along M or N and step those along K.
template <class Tile, layout::TiledTv kTiled, Major kMajor>
struct Fragment {
  // What a thread multiplies: 8 values, two to a register.
  static constexpr Layout kHeld = layout::partition(Tile::kElement, kTiled);
  // What it has to point at, that ldmatrix.x4 brings this about: 8 neighbours, of which others get
  // their share.
  static constexpr bool kTransposed = kMajor != Major::kK;
  static constexpr Layout kPointed = layout::partition(
      Tile::kElement, layout::source_tv(layout::ldmatrix(4, kTransposed), kTiled));
};

// A thread's place in line to copy a tile of lines of kVectors vectors. Where a phase of 8 threads
// (16 bytes each) takes several lines, they should not be neighbours: 4 units and 4 units that
// begin 5 further on share banks. So bit 0 of the line's number becomes bit 2.
template <int kThreads, int kVectors>
struct CopyOrder {
  static constexpr int kLinesAtOnce = kThreads / kVectors;
  static constexpr Layout kOrder =
      kLinesAtOnce % 8 == 0
          ? Layout{{kVectors, 2, 4, kLinesAtOnce / 8}, {1, 4 * kVectors, kVectors, 8 * kVectors}}
          : Layout(kThreads);
};

}  // namespace mma_ldmatrix

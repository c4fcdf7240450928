// Chapter 04 beyond the contract: the lane arithmetic of fragments.hpp is what the layouts of
// common/layout say, which are the PTX manual's tables.

#include "fragments.hpp"

#include <layout/layout.hpp>

#include <test/catch.hpp>

namespace {

using namespace mma_ldmatrix;
using layout::at;
using layout::Layout;

// A warp's tile, 64 rows (of M or N) and 32 columns (of K), in which the element at (row, k) has
// the number 100 row + k: equal numbers are equal places. B's tile of m16n8k16 is made two atoms
// wide, so that one ldmatrix.x4 serves both.
constexpr int kRows = 64, kDepth = 32, kAtoms = 4, kSteps = 2;
constexpr Layout kPlace{{kRows, kDepth}, {100, 1}};
constexpr Layout kPlaceOfC{{kRows, kRows}, {100, 1}};
constexpr int number(int row, int k) {
  return 100 * row + k;
}

constexpr layout::TiledTv tiled(layout::Operand operand) {
  return layout::tiled_mma(layout::mma_m16n8k16(), layout::left({1, 1, 1}),
                           layout::Tile(16, 16, 16), operand);
}

// (lane, value, repetition along M or N, step along K) -> number, as the algebra has it: what a
// lane holds in registers, and what it has to point ldmatrix at to get that.
constexpr Layout held(layout::Operand operand) {
  return layout::partition(kPlace, tiled(operand));
}
constexpr Layout pointed(layout::Operand operand) {
  return layout::partition(kPlace, layout::source_tv(layout::ldmatrix(4, false), tiled(operand)));
}

// What an element of an operand's atom i and step has as (row, k) of the atom: of A or of two atoms
// of B, the row that a lane points ldmatrix at, and value v that it then holds.
constexpr Coord pointed_at(layout::Operand operand, int lane) {
  return operand == layout::Operand::kA ? row_of_a(lane) : row_of_b(lane);
}
// The pair in matrix r of A is 8 rows further down if r is odd, 8 columns further to the right if
// r >= 2; of two atoms of B the other way round.
constexpr Coord held_by(layout::Operand operand, int lane, int value) {
  const int r = value / 2, down = operand == layout::Operand::kA ? r % 2 : r / 2;
  const int right = operand == layout::Operand::kA ? r / 2 : r % 2;
  return {pair_of(lane).row + 8 * down, pair_of(lane).col + 8 * right + value % 2};
}

template <layout::Operand kOperand>
constexpr bool lanes_are_right() {
  constexpr Layout kHeld = held(kOperand), kPointed = pointed(kOperand);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < kAtoms; ++i) {
      for (int step = 0; step < kSteps; ++step) {
        const Coord row = pointed_at(kOperand, lane);
        if (at<kPointed>(lane, 0, i, step) != number(16 * i + row.row, 16 * step + row.col)) {
          return false;
        }
        for (int value = 0; value < 8; ++value) {
          const Coord one = held_by(kOperand, lane, value);
          if (at<kHeld>(lane, value, i, step) != number(16 * i + one.row, 16 * step + one.col)) {
            return false;
          }
        }
      }
    }
  }
  return true;
}
static_assert(lanes_are_right<layout::Operand::kA>() && lanes_are_right<layout::Operand::kB>());

// C: value 4 atom + 2 half + v of two atoms is `v` behind the pair, 8 rows down in the second half,
// 8 columns further in the second atom.
constexpr bool results_are_right() {
  constexpr Layout kSum = layout::partition(kPlaceOfC, tiled(layout::Operand::kC));
  for (int lane = 0; lane < 32; ++lane) {
    for (int value = 0; value < 8; ++value) {
      const int row = 16 + pair_of(lane).row + value / 2 % 2 * 8;
      const int col = 32 + pair_of(lane).col + value / 4 * 8 + value % 2;
      if (at<kSum>(lane, value, 1, 2) != number(row, col)) return false;
    }
  }
  return true;
}
static_assert(results_are_right());

}  // namespace

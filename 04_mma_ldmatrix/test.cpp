// Chapter 04 beyond the contract: the lane arithmetic of fragments.hpp is what the layouts of
// common/layout say, which are the PTX manual's tables.

#include "fragments.hpp"

#include <layout/layout.hpp>

#include <gemm/thread_map.hpp>
#include <test/catch.hpp>
#include <test/thread_map.hpp>

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

// Whether equal(lane, i, step) holds wherever these may be.
template <class Equal>
constexpr bool everywhere(Equal equal) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < kAtoms; ++i) {
      for (int step = 0; step < kSteps; ++step) {
        if (!equal(lane, i, step)) return false;
      }
    }
  }
  return true;
}

// ldmatrix: a lane's row of the step's atoms.
static_assert(everywhere([](int lane, int i, int step) {
  constexpr Layout kPointed = pointed(layout::Operand::kA);
  const Coord row = row_of_a(lane);
  return at<kPointed>(lane, 0, i, step) == number(16 * i + row.row, 16 * step + row.col);
}));
static_assert(everywhere([](int lane, int i, int step) {
  constexpr Layout kPointed = pointed(layout::Operand::kB);
  const Coord row = row_of_b(lane);
  return at<kPointed>(lane, 0, i, step) == number(16 * i + row.row, 16 * step + row.col);
}));

// Registers: the pair in matrix r of A is 8 rows further down if r is odd, 8 columns further to the
// right if r >= 2; of two atoms of B the other way round.
static_assert(everywhere([](int lane, int i, int step) {
  constexpr Layout kHeld = held(layout::Operand::kA);
  const Coord pair = pair_of(lane);
  for (int value = 0; value < 8; ++value) {
    const int r = value / 2, row = 16 * i + pair.row + r % 2 * 8;
    const int k = 16 * step + pair.col + r / 2 * 8 + value % 2;
    if (at<kHeld>(lane, value, i, step) != number(row, k)) return false;
  }
  return true;
}));
static_assert(everywhere([](int lane, int i, int step) {
  constexpr Layout kHeld = held(layout::Operand::kB);
  const Coord pair = pair_of(lane);
  for (int value = 0; value < 8; ++value) {
    const int r = value / 2, row = 16 * i + pair.row + r / 2 * 8;
    const int k = 16 * step + pair.col + r % 2 * 8 + value % 2;
    if (at<kHeld>(lane, value, i, step) != number(row, k)) return false;
  }
  return true;
}));

// C: value 4 atom + 2 half + v of two atoms is `v` behind the pair, 8 rows down in the second half,
// 8 columns further in the second atom.
static_assert(everywhere([](int lane, int i, int j) {
  constexpr Layout kSum = layout::partition(kPlaceOfC, tiled(layout::Operand::kC));
  const Coord pair = pair_of(lane);
  for (int value = 0; value < 8; ++value) {
    const int row = 16 * i + pair.row + value / 2 % 2 * 8;
    const int col = 16 * j + pair.col + value / 4 * 8 + value % 2;
    if (at<kSum>(lane, value, i, j) != number(row, col)) return false;
  }
  return true;
}));

}  // namespace

TEST_CASE("04: the thread map covers every tile exactly once") {
  test::check_thread_map<gemm::ThreadMap>();
}

// ldmatrix itself, played: of matrix r, lane l gets the pair `l % 4` of the row that lane 8 r + l /
// 4 points at.
TEST_CASE("04: ldmatrix brings each lane the pairs that mma wants") {
  for (int lane = 0; lane < 32; ++lane) {
    for (int r = 0; r < 4; ++r) {
      const Coord pair = pair_of(lane), a = row_of_a(8 * r + lane / 4),
                  b = row_of_b(8 * r + lane / 4);
      CHECK((a.row == pair.row + r % 2 * 8 && a.col + lane % 4 * 2 == pair.col + r / 2 * 8));
      CHECK((b.row == pair.row + r / 2 * 8 && b.col + lane % 4 * 2 == pair.col + r % 2 * 8));
    }
  }
}

#pragma once
// Which lane has what of the 8 x 8 matrices that fragments consist of. PTX draws it as tables, here
// it is arithmetic; test.cpp proves it equal to the layouts of common/layout, at compile time.

namespace swizzle_pipeline {

struct Coord {
  int row, col;
};

// In registers a lane has two neighbours of every matrix, from here on: one register of A or B, two
// of C.
constexpr Coord pair_of(int lane) {
  return {lane / 4, lane % 4 * 2};
}

// In shared memory a lane points ldmatrix.x4 at 8 neighbours, one row of one of four matrices:
// lanes 8 r to 8 r + 7 at those of matrix r. Of A (16 x 16) the second matrix lies below the first,
// the third to its right; of two atoms of B (8 x 16 each) the second to its right, the third below.
constexpr Coord row_of_a(int lane) {
  return {lane % 16, lane / 16 * 8};
}
constexpr Coord row_of_b(int lane) {
  return {lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8};
}

}  // namespace swizzle_pipeline

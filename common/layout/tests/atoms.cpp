// Fragments against the formulas of the PTX ISA, tiled mma and copy, partitions, retile, vector
// copies.

#include <test/catch.hpp>

#include "layouts.hpp"

using namespace layout;
using namespace layout::test;

constexpr MmaAtom kAtom = mma_m16n8k16();
constexpr Layout kAtoms = left({2, 2, 1});

// Every (row, col) of a tile is the position of exactly one (thread, value).
static void check_bijection(const Layout& tv, Int positions) {
  REQUIRE(sorted(image(tv)) == iota(positions));
}

TEST_CASE("m16n8k16 fragments as the PTX ISA has them") {
  for (Int lane = 0; lane < 32; ++lane) {
    const Int group = lane / 4, pair = lane % 4 * 2;
    for (Int i = 0; i < 8; ++i) {  // a0 .. a7
      const Int row = i == 0 || i == 1 || i == 4 || i == 5 ? group : group + 8;
      CHECK(kAtom.a(lane, i) == row + 16 * (pair + (i & 1) + (i >= 4 ? 8 : 0)));
    }
    for (Int i = 0; i < 4; ++i) {  // b0 .. b3, c0 .. c3
      CHECK(kAtom.b(lane, i) == group + 8 * (pair + (i & 1) + (i >= 2 ? 8 : 0)));
      CHECK(kAtom.c(lane, i) == (i < 2 ? group : group + 8) + 16 * (pair + (i & 1)));
    }
  }
}

TEST_CASE("wgmma fragments of every N as the PTX ISA has them") {
  for (Int n = 8; n <= 256; n += 8) {
    const MmaAtom atom = wgmma_m64k16(n);
    check_bijection(atom.a, 64 * 16);
    check_bijection(atom.c, 64 * n);
    for (Int thread = 0; thread < 128; ++thread) {
      for (Int i = 0; i < n / 2; ++i) {
        const Int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
        const Int col = thread % 4 * 2 + (i & 1) + i / 4 * 8;
        REQUIRE(atom.c(thread, i) == row + 64 * col);
        if (i < 8) REQUIRE(atom.a(thread, i) == row + 64 * col);
      }
    }
  }
}

TEST_CASE("ldmatrix as the PTX ISA has it") {
  const int count = GENERATE(1, 2, 4);
  const bool transposed = GENERATE(false, true);
  const CopyAtom atom = ldmatrix(count, transposed);
  check_bijection(atom.destination, 64 * count);
  // The matrix `which` in row-major order, its row r supplied by lane 8 which + r.
  for (Int lane = 0; lane < 32; ++lane) {
    for (Int value = 0; value < 8; ++value) {
      REQUIRE(atom.source(lane, value) == lane % (8 * count) * 8 + value);
    }
    for (Int value = 0; value < 2 * count; ++value) {
      const Int along = lane % 4 * 2 + value % 2;
      const Int across = lane / 4;
      const Int row = transposed ? along : across;
      const Int col = transposed ? across : along;
      REQUIRE(atom.destination(lane, value) == value / 2 * 64 + row * 8 + col);
    }
  }
}

TEST_CASE("tiled mma: every operand, against the atom placed by hand") {
  // Warp w stands at (w % 2, w / 2); further repetitions along a direction skip all warps.
  const Int tile[3] = {64, 48, 32}, atom[3] = {16, 8, 16}, count[3] = {2, 2, 1};
  const struct {
    Operand operand;
    int r, c;  // the modes of its rows and columns
    Layout tv;
  } cases[] = {
      {Operand::kA, 0, 2, kAtom.a}, {Operand::kB, 1, 2, kAtom.b}, {Operand::kC, 0, 1, kAtom.c}};
  for (const auto& [operand, r, c, tv] : cases) {
    const TiledTv tiled = tiled_mma(kAtom, kAtoms, Tile(64, 48, 32), operand);
    const Int atom_values = tv.shape[1].product(), repeats = tile[r] / (atom[r] * count[r]);
    REQUIRE(tiled.threads() == 128);
    for (Int thread = 0; thread < 128; ++thread) {
      const Int warp[3] = {thread / 32 % 2, thread / 64, 0};
      for (Int value = 0; value < tiled.values(); ++value) {
        const Int repeat = value / atom_values, inside = tv(thread % 32, value % atom_values);
        const Int row = inside % atom[r] + atom[r] * (warp[r] + count[r] * (repeat % repeats));
        const Int col = inside / atom[r] + atom[c] * (warp[c] + count[c] * (repeat / repeats));
        REQUIRE(tiled.tv(thread, value) == row + tile[r] * col);
      }
    }
  }
  // Row-major numbering of the warps.
  const TiledTv rows = tiled_mma(kAtom, {{2, 2, 1}, {2, 1, 0}}, Tile(32, 16, 16), Operand::kC);
  CHECK(rows.tv(32, 0) == 32 * 8);  // warp 1 now stands at (0, 1)
  CHECK(rows.tv(64, 0) == 16);
}

TEST_CASE("tiled copy from a thread layout and a value layout") {
  const Layout threads = GENERATE(left({8, 4}), right({8, 4}), right({2, 2}), left({4, 2}));
  const Int m = GENERATE(1, 2, 4), n = GENERATE(1, 8);
  const Layout values = GENERATE(false, true) ? left({m, n}) : right({m, n});
  const TiledTv copy = tiled_copy(threads, values);
  const Int rows = copy.tile[0].value();
  CAPTURE(to_string(threads), to_string(values));
  check_bijection(copy.tv, copy.tile.product());
  for (Int row = 0; row < rows; ++row) {
    for (Int col = 0; col < copy.tile[1].value(); ++col) {
      REQUIRE(copy.tv(threads(row / m, col / n), values(row % m, col % n)) == row + rows * col);
    }
  }
}

TEST_CASE("the source side of ldmatrix points at rows of the operand") {
  constexpr TiledTv kB = tiled_mma(kAtom, kAtoms, Tile(32, 32, 16), Operand::kB);
  constexpr TiledTv kSource = source_tv(ldmatrix(4, false), kB);
  STATIC_REQUIRE(kSource.threads() == 128);
  STATIC_REQUIRE(kSource.values() == 8);
  // Simulate the instruction: what a lane receives is what the tiled mma wants of it.
  const CopyAtom atom = ldmatrix(4, false);
  for (Int warp = 0; warp < 4; ++warp) {
    std::vector<Int> element(256);
    for (Int i = 0; i < 32 * 8; ++i) {  // lane + 32 value
      element[static_cast<std::size_t>(atom.source(i))] = kSource.tv(warp * 32 + i % 32, i / 32);
    }
    for (Int i = 0; i < 32 * 8; ++i) {
      REQUIRE(element[static_cast<std::size_t>(atom.destination(i))] ==
              kB.tv(warp * 32 + i % 32, i / 32));
    }
  }
  // In a K-major tile of shared memory each lane's 8 values are one 16-byte row.
  require_vector(partition(right({128, 32}), kSource), 8);
  // ... and in an N-major one they are not: that takes .trans.
  CHECK_THROWS_AS(require_vector(partition(left({128, 32}), kSource), 8), Refused);
  const TiledTv transposed = source_tv(ldmatrix(4, true), kB);
  require_vector(partition(left({128, 32}), transposed), 8);
  // stmatrix: the registers are the source, and the memory side is the same.
  STATIC_REQUIRE(destination_tv(stmatrix(4, false), kB).tv == kSource.tv);
  STATIC_REQUIRE(vector_copy(8).source == vector_copy(8).destination);
}

TEST_CASE("retile: accumulators addressed as a copy wants them") {
  constexpr TiledTv kMma = tiled_mma(kAtom, kAtoms, Tile(32, 16, 16), Operand::kC);
  constexpr TiledTv kCopy = tiled_mma(kAtom, kAtoms, Tile(32, 32, 16), Operand::kC);
  STATIC_REQUIRE(partition_shape(kMma, 128, 128) == IntTuple{4, 4, 8});
  CHECK_THROWS_AS(partition_shape(kMma, 100, 128), Refused);
  constexpr Layout kFrom = thread_values(partition(left({128, 128}), kMma));
  constexpr Layout kTo = thread_values(partition(left({128, 128}), kCopy));
  constexpr Layout kRegisters{{{2, 2}, 4, 8}, {{1, 2}, 4, 16}};
  constexpr Layout kView = retile(kRegisters, kFrom, kTo);
  constexpr Layout kByTwo = logical_divide(kView, Tile(2));  // the copy moves two values at a time
  STATIC_REQUIRE(kByTwo == Layout{{{2, {2, 2}}, 4, 4}, {{1, {2, 16}}, 4, 32}});
  STATIC_REQUIRE(group_modes(kByTwo, 1, 3) ==
                 Layout{{{2, {2, 2}}, {4, 4}}, {{1, {2, 16}}, {4, 32}}});
  // The register that holds a position is the one it was put into.
  for (Int i = 0; i < kFrom.size(); ++i) {
    for (Int j = 0; j < kTo.size(); ++j) {
      if (kFrom(i) == kTo(j)) REQUIRE(kView(j) == kRegisters(i));
    }
  }
}

TEST_CASE("a vector copy needs contiguous values") {
  constexpr TiledTv kC = tiled_mma(kAtom, kAtoms, Tile(32, 32, 16), Operand::kC);
  const TiledTv copy = tiled_copy({{16, 8}, {8, 1}}, left({1, 8}));
  const Layout row_major = partition(right({32, 32}), kC), tile = right({128, 64});
  const auto check = [](const auto& tv, Int elements, const std::string& said) {
    const std::string vector = "a vector copy of " + std::to_string(elements) + " elements: ";
    CHECK(refusal([&] { require_vector(tv, elements); }) ==
          (said.empty() ? "accepted" : vector + said));
  };
  check(row_major, 2, "");  // 32 bits
  check(row_major, 4, "only 2 of the values in ((2,2),(1,2)):((1,256),(0,16)) are contiguous");
  // Contiguous, but in rows of an odd length every second row starts unaligned.
  check(Layout{{8, 8}, {9, 1}}, 2, "2 does not divide the thread stride 9");
  check(Layout{{8, {2, 4}}, {16, {1, 3}}}, 2, "2 does not divide the stride 3");
  // A swizzle keeps 2^M elements together.
  check(partition(compose(Swizzle{3, 3, 3}, tile), copy), 8, "");
  check(partition(compose(Swizzle{3, 2, 3}, tile), copy), 8, "Sw<3,2,3> keeps only 4 together");
}

// The lane arithmetic for a B with N contiguous is what the layouts of common/layout say, at
// compile time, and no access meets a bank twice.

// For the CPU backend, where the kernel's file can be included.
#include "kernel.cuh"

#include <layout/layout.hpp>

#include <test/catch.hpp>

namespace {

using namespace mma_ldmatrix;
using layout::at;
using layout::Layout;

// A warp's tile of B, 64 columns of C and 32 of K: the element at (n, k) has the number 100 k + n,
// and n is contiguous. m16n8k16 is made two atoms wide.
constexpr Layout kPlace{{64, 32}, {1, 100}};
constexpr layout::TiledTv kTiled = layout::tiled_mma(
    layout::mma_m16n8k16(), layout::left({1, 1, 1}), layout::Tile(16, 16, 16), layout::Operand::kB);
constexpr Layout kHeld = layout::partition(kPlace, kTiled);
constexpr Layout kPointed =
    layout::partition(kPlace, layout::source_tv(layout::ldmatrix(4, true), kTiled));

constexpr bool ldmatrix_points_where_the_layout_does() {
  for (int lane = 0; lane < 32; ++lane) {
    const Coord row = n_major::row_of_b_transposed(lane);  // (k, n)
    for (int j = 0; j < 4; ++j) {
      for (int step = 0; step < 2; ++step) {
        const int place = 100 * (16 * step + row.row) + 16 * j + row.col;
        if (at<kPointed>(lane, 0, j, step) != place) return false;
      }
    }
  }
  return true;
}
static_assert(ldmatrix_points_where_the_layout_does());

constexpr bool single_loads_fetch_what_mma_wants() {
  for (int lane = 0; lane < 32; ++lane) {
    const Coord first = n_major::pair_of_b_transposed(lane);  // (k, n)
    for (int value = 0; value < 8; ++value) {
      const int r = value / 2;
      const int k = first.row + r % 2 * 8 + value % 2, n = first.col + r / 2 * 8;
      if (at<kHeld>(lane, value, 1, 1) != 100 * (16 + k) + 16 + n) return false;
    }
  }
  return true;
}
static_assert(single_loads_fetch_what_mma_wants());

template <class C>
void check_banks() {
  using TileB = typename C::TileB;
  const auto free = [](Coord (*coord)(int), int elements) {
    const auto offset = [&](int lane) {
      return TileB::smem_offset(coord(lane).row, coord(lane).col);
    };
    return layout::bank_conflicts(offset, 32, 16, elements).free();
  };
  CHECK(free(n_major::row_of_b_transposed, 8));
  CHECK(free(n_major::pair_of_b_transposed, 1));
  const auto stored = [](int thread) {
    return TileB::smem_offset(TileB::Map::row(thread, 0), TileB::Map::col(thread, 0));
  };
  CHECK(layout::bank_conflicts(stored, 32, 16, 8).free());
}

}  // namespace

TEST_CASE("n_major: B is stored and fetched without bank conflicts") {
  check_banks<n_major::Config<LargeTiles, 8>>();
  check_banks<n_major::Config<SmallTiles, 8>>();
}

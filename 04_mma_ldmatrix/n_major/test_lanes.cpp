// No access to B's tile meets a bank twice.

// For the CPU backend, where the kernel's file can be included.
#include "kernel.cuh"

#include <layout/layout.hpp>

#include <test/catch.hpp>

using namespace n_major;

TEST_CASE("n_major: B is stored and fetched without bank conflicts") {
  const auto check = []<class C>(C) {
    using TileB = typename C::TileB;
    const auto free = [](auto coord, int elements) {
      const auto offset = [&](int lane) {
        return TileB::smem_offset(coord(lane).row, coord(lane).col);
      };
      return layout::bank_conflicts(offset, 32, 16, elements).free();
    };
    CHECK(free(row_of_b_transposed, 8));
    CHECK(free(pair_of_b_transposed, 1));
    CHECK(free(
        [](int lane) {
          return Coord{TileB::Map::row(lane, 0), TileB::Map::col(lane, 0)};
        },
        8));
  };
  check(n_major::Config<LargeTiles, 8>{});
  check(n_major::Config<SmallTiles, 8>{});
}

// Chapter 05's own functions: no access to shared memory meets a bank twice, and every tile of C
// has one owner.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "kernel.cuh"

#include <layout/layout.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

using namespace swizzle_pipeline;

namespace {

template <class Check>
void for_every_config(Check check) {
  check(Config<LargeTiles, 3, 8>{});
  check(Config<MediumTiles, 4, 8>{});
  check(Config<SmallTiles, 4, 8>{});
  check(Config<SmallTiles, 4, 4>{});
  check(Config<SmallTiles, 4, 2>{});
  check(Config<NarrowTiles, 4, 1>{});
  check(Config<LargeTiles, 3, 8, SmemLayout::kPadded>{});
}

// What smem_a and smem_b of the kernel are, for a warp tile that begins in row 0.
template <class C>
int lane_a(int lane) {
  return C::smem_offset(row_of_a(lane).row, row_of_a(lane).col);
}
template <class C>
int lane_b(int lane) {
  return C::smem_offset(row_of_b(lane).row, row_of_b(lane).col);
}

}  // namespace

// Which is free of conflicts with the fewest bits, as a test of common/layout says.
TEST_CASE("05: the swizzle is the formula's") {
  CHECK(Config<LargeTiles, 3, 8>::swizzle() == layout::Swizzle(3, 3, 3));
  CHECK(Config<NarrowTiles, 4, 1>::swizzle() == layout::Swizzle(2, 3, 3));
  for_every_config([]<class C>(C) {
    if (C::kLayout == SmemLayout::kPadded) return;
    CHECK(C::swizzle() == layout::swizzle_for_columns(C::BK, 16, 8));
  });
}

TEST_CASE("05: fragments are read without bank conflicts") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::BM, C::BN, C::BK, C::kPitch);
    for (int step = 0; step < C::kSteps; ++step) {
      for (int row = 0; row < C::BM; row += 16) {
        const auto a = [&](int lane) {
          return C::smem_step(lane_a<C>(lane), step) + row * C::kPitch;
        };
        const auto b = [&](int lane) {
          return C::smem_step(lane_b<C>(lane), step) + row * C::kPitch;
        };
        CHECK(layout::bank_conflicts(a, 32, 16, 8).free());
        CHECK(layout::bank_conflicts(b, 32, 16, 8).free());
      }
    }
  });
  // Without swizzle and padding all eight rows of a matrix are on the same four banks.
  const auto plain = [](int lane) { return lane % 16 * 64 + lane / 16 * 8; };
  CHECK(layout::bank_conflicts(plain, 32, 16, 8).worst == 8);
}

TEST_CASE("05: copies arrive without bank conflicts") {
  for_every_config([]<class C>(C) {
    if (C::kVector == 1) return;  // two threads to a bank's word
    CAPTURE(C::BM, C::BN, C::BK, C::kPitch, C::kVector);
    const auto check = [&]<class Map>(Map) {
      for (int i = 0; i < Map::kIterations; ++i) {
        for (int first = 0; first < C::kThreads; first += 32) {
          const auto offset = [&](int lane) {
            return C::smem_offset(Map::row(first + lane, i), Map::col(first + lane, i));
          };
          CHECK(layout::bank_conflicts(offset, 32, 16, C::kVector).free());
        }
      }
    };
    check(typename C::MapA{});
    check(typename C::MapB{});
  });
}

TEST_CASE("05: accumulators pass through shared memory without bank conflicts") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::WN);
    const auto write = [](int pitch) {  // a pair of accumulators per lane
      return layout::bank_conflicts([&](int lane) { return lane / 4 * pitch + lane % 4 * 2; }, 32,
                                    32, 2);
    };
    CHECK(write(C::kPitchC).free());
    CHECK(!write(C::WN).free());

    // A lane reads 8 results, a quad at a time.
    const auto read = [](int quad, bool swaps) {
      return layout::bank_conflicts(
          [&](int lane) {
            const int first = swaps ? quad ^ (lane / 4 % 2 * 4) : quad;
            return lane / (C::WN / 8) * C::kPitchC + lane % (C::WN / 8) * 8 + first;
          },
          32, 32, 4);
    };
    for (const int quad : {0, 4}) {
      CHECK(read(quad, true).free());
      CHECK(!read(quad, false).free());
    }
  });
}

TEST_CASE("05: every tile of C is visited once, in groups of rows") {
  const auto check = []<int kGroupRows>() {
    for (int tiles_m = 1; tiles_m <= 20; ++tiles_m) {
      for (int tiles_n = 1; tiles_n <= 9; ++tiles_n) {
        CAPTURE(kGroupRows, tiles_m, tiles_n);
        std::set<std::pair<int, int>> visited;
        int outside = 0, out_of_order = 0;
        for (int tile = 0; tile < tiles_m * tiles_n; ++tile) {
          const auto [row, col] = tile_coord<kGroupRows>(tile, tiles_m, tiles_n);
          outside += row < 0 || row >= tiles_m || col < 0 || col >= tiles_n;
          // All tiles of the groups before have been visited.
          out_of_order += tile / (kGroupRows * tiles_n) != row / kGroupRows;
          visited.insert({row, col});
        }
        CHECK(outside == 0);
        CHECK(out_of_order == 0);
        CHECK(visited.size() == static_cast<std::size_t>(tiles_m * tiles_n));
      }
    }
  };
  check.operator()<1>();
  check.operator()<3>();
  check.operator()<8>();

  const TileCoord by_row = tile_coord<1>(7, 4, 5);  // a row at a time is row-major
  CHECK((by_row.row == 1 && by_row.col == 2));
  const TileCoord down = tile_coord<8>(9, 16, 5);  // a group goes down its columns
  CHECK((down.row == 1 && down.col == 1));
  const TileCoord ragged = tile_coord<8>(8 * 5 + 4, 11, 5);  // its last group has 3 rows
  CHECK((ragged.row == 9 && ragged.col == 1));
}

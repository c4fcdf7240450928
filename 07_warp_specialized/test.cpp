// Chapter 07 beyond the contract: schedules, and what dealing out B's rows does.

#include <layout/layout.hpp>

#include <test/catch.hpp>

#include <set>
#include <utility>
#include <vector>

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "kernel.cuh"

using namespace warp_specialized;

namespace {

// The tiles of all blocks, each block's in its order.
template <Order kOrder>
std::vector<std::vector<int>> tiles_of(int tiles_m, int tiles_n, int blocks) {
  const TileSchedule<kOrder> schedule{tiles_m, tiles_n};
  std::vector<std::vector<int>> out(static_cast<std::size_t>(blocks));
  for (int block = 0; block < blocks; ++block) {
    const auto range = schedule.of(block, blocks);
    for (int tile = range.first; tile < range.end; tile += range.step) {
      out[static_cast<std::size_t>(block)].push_back(tile);
    }
  }
  return out;
}

template <Order kOrder>
void check_schedule() {
  for (const auto& [tiles_m, tiles_n] :
       {std::pair{1, 1}, std::pair{2, 5}, std::pair{8, 3}, std::pair{21, 5}}) {
    for (const int blocks : {1, 3, 4, 7, 132}) {
      const TileSchedule<kOrder> schedule{tiles_m, tiles_n};
      std::set<std::pair<int, int>> owned;
      std::size_t least = 1000, most = 0;
      int count = 0;
      for (const auto& tiles : tiles_of<kOrder>(tiles_m, tiles_n, blocks)) {
        least = std::min(least, tiles.size());
        most = std::max(most, tiles.size());
        for (const int tile : tiles) {
          const TilePosition at = schedule.position(tile);
          CHECK((at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n));
          owned.insert({at.row, at.col});
          ++count;
        }
      }
      CHECK(count == tiles_m * tiles_n);
      CHECK(owned.size() == static_cast<std::size_t>(count));
      CHECK(most - least <= 1);
    }
  }
}

}  // namespace

TEST_CASE("07: every tile of C has one owner, and no block more than one tile more than another") {
  check_schedule<Order::kGrouped>();
  check_schedule<Order::kStatic>();
}

TEST_CASE("07: ten tiles and three blocks") {
  using Lists = std::vector<std::vector<int>>;
  CHECK(tiles_of<Order::kStatic>(2, 5, 3) == Lists{{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  CHECK(tiles_of<Order::kGrouped>(2, 5, 3) == Lists{{0, 3, 6, 9}, {1, 4, 7}, {2, 5, 8}});
}

TEST_CASE("07: rows dealt out are a permutation that makes pairs neighbours") {
  std::set<int> rows;
  for (int r = 0; r < 64; ++r) rows.insert(dealt_row(r));
  CHECK(rows.size() == 64);
  CHECK(*rows.rbegin() == 63);
  // The accumulator atom: which (row, column) of 64 x 32 value v of thread t is.
  const layout::Layout c = layout::wgmma_m64k16(32).c;
  for (int thread = 0; thread < 128; ++thread) {
    for (int value = 0; value < 16; ++value) {
      const auto place = c(thread, value);
      const int column = dealt_row(static_cast<int>(place / 64));
      const int pair = value / 4, element = value % 2;
      CHECK(column == 8 * (thread % 4) + 2 * pair + element);
    }
  }
  // As a layout: three modes trade places.
  const layout::Layout dealt{{2, 4, 4}, {1, 8, 2}};
  for (int r = 0; r < 32; ++r) CHECK(dealt_row(r) == dealt(r));
}
#endif

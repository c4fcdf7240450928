// The tokens' aside beyond the contract: contiguous ranges beside dealt tiles, and rings by token
// that go on from tile to tile.

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using test::Case;

Case packed(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
          .values = gemm::Values::kIntegers};
}

}  // namespace

TEST_CASE("tokens: K goes around every ring more than twice, whole and ragged") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const Case& c : {packed(72, 96, 1152), packed(136, 40, 1096)}) {
    test::SharedCase shared(c);
    for (const std::string& policy : test::policies(chapter)) {
      test::set_policy(policy);
      for (const harness::Variant& variant : chapter.variants) {
        INFO("variant " << variant.name << ", " << policy << ", " << label(c));
        CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
      }
    }
  }
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace tokens;

namespace {

// The tiles of all blocks, each block's in its order.
template <Order kOrder>
std::vector<std::vector<int>> tiles_of(int tiles_m, int tiles_n, int blocks) {
  const RangeSchedule<kOrder> schedule{tiles_m, tiles_n};
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
      const RangeSchedule<kOrder> schedule{tiles_m, tiles_n};
      std::set<std::pair<int, int>> owned;
      std::size_t least = 1000, most = 0;
      int count = 0;
      for (const auto& tiles : tiles_of<kOrder>(tiles_m, tiles_n, blocks)) {
        least = std::min(least, tiles.size());
        most = std::max(most, tiles.size());
        for (const int tile : tiles) {
          const TileCoord at = schedule.coord(tile);
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

TEST_CASE(
    "tokens: every tile of C has one owner, and no block more than one tile more than another") {
  check_schedule<Order::kGrouped>();
  check_schedule<Order::kStatic>();
}

TEST_CASE("tokens: ten tiles and three blocks") {
  using Lists = std::vector<std::vector<int>>;
  CHECK(tiles_of<Order::kStatic>(2, 5, 3) == Lists{{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  CHECK(tiles_of<Order::kGrouped>(2, 5, 3) == Lists{{0, 3, 6, 9}, {1, 4, 7}, {2, 5, 8}});
}

TEST_CASE("tokens: what 132 blocks want at the same time, tiles of 128 x 256, M = N = K = 16384") {
  // How many rows of tiles and how many columns the blocks compute in their first tiles; and the
  // bytes of A and B in all tiles, if what several blocks want at the same time comes once.
  struct Wanted {
    std::size_t rows, cols;
    double gigabytes;
  };
  const auto wanted = []<Order kOrder>() {
    const RangeSchedule<kOrder> schedule{128, 64};
    const auto lists = tiles_of<kOrder>(128, 64, 132);
    Wanted out{0, 0, 0};
    for (std::size_t step = 0; step < 63; ++step) {
      std::set<int> rows, cols;
      for (const auto& tiles : lists) {
        if (step >= tiles.size()) continue;
        const TileCoord at = schedule.coord(tiles[step]);
        rows.insert(at.row), cols.insert(at.col);
      }
      if (step == 0) out = {rows.size(), cols.size(), 0};
      out.gigabytes += static_cast<double>(rows.size() * 128 + cols.size() * 256) * 16384 * 2 / 1e9;
    }
    return out;
  };
  const Wanted grouped = wanted.operator()<Order::kGrouped>();
  CHECK(grouped.rows == 8);
  CHECK(grouped.cols == 17);
  CHECK(std::abs(grouped.gigabytes - 11.45) < 0.01);
  const Wanted contiguous = wanted.operator()<Order::kStatic>();
  CHECK(contiguous.rows == 128);
  CHECK(contiguous.cols == 36);
  CHECK(std::abs(contiguous.gigabytes - 52.11) < 0.01);
}

namespace {

// All tiles of C by few blocks.
template <class Config>
void check_blocks() {
  const harness::Chapter& chapter = harness::chapters().front();
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const auto& c : {packed(384, 320, 136), packed(264, 200, 328), packed(256, 128, 0)}) {
      test::Trial trial(c);
      auto plan = prepare<core::bf16, Config>(gemm::typed_operands<core::bf16>(trial.problem()));
      for (const unsigned blocks : {1u, 2u, 4u}) {
        INFO(policy << ", " << label(c) << ", blocks " << blocks);
        trial.reset_c();
        plan.shape.grid.x = blocks;
        plan.run(gpu::Stream{});
        gpu::synchronize();
        CHECK(trial.complaints() == std::vector<std::string>{});
      }
    }
  }
}

}  // namespace

TEST_CASE("tokens: rings go on from tile to tile") {
  using TileA = OperandTile<128, Rows::kPlain>;
  using TileB = OperandTile<64, Rows::kPlain>;
  check_blocks<Config<TileA, TileB, 4, true>>();
  check_blocks<Config<TileA, TileB, 4, false, Order::kStatic>>();
  check_blocks<Config<WideTile<128, Load::k2D>, WideTile<64, Load::k2D>, 2>>();
}
#endif

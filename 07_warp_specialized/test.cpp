// Chapter 07 beyond the contract: schedules, what dealing out B's rows does, rings that go around
// several times, within a tile of C and from tile to tile.

#include <layout/layout.hpp>

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

constexpr gemm::DataType kBf16 = gemm::DataType::kBf16, kFp16 = gemm::DataType::kFp16;

Case packed(std::int64_t m, std::int64_t n, std::int64_t k, gemm::DataType type = kBf16) {
  return {.problem = gemm::packed_problem(m, n, k, type), .values = gemm::Values::kIntegers};
}

// Every variant under the policies whose number is a multiple of `every`.
void try_all(const std::vector<Case>& cases, std::size_t every) {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  const std::vector<std::string> policies = test::policies(chapter);
  for (const Case& c : cases) {
    test::SharedCase shared(c);
    for (std::size_t i = 0; i < policies.size(); i += every) {
      test::set_policy(policies[i]);
      for (const harness::Variant& variant : chapter.variants) {
        INFO("variant " << variant.name << ", " << policies[i] << ", " << label(c));
        CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
      }
    }
  }
}

}  // namespace

TEST_CASE("07: K goes around every ring more than twice") {
  // 18 steps of 64, the longest ring has 8 stages; 9 of 128, and 3 stages. Rows of B are dealt out
  // in the first two, in the third they come as they are.
  try_all({packed(72, 96, 1152), packed(136, 64, 1096, kFp16), packed(72, 40, 1152)}, 1);
}

TEST_CASE("07: small, ragged, wide, tall and flat") {
  try_all({packed(1, 1, 8), packed(127, 129, 72), packed(127, 160, 72, kFp16)}, 1);
  // 64x16384x8192, 16384x64x8192 and 128x8192x8192 by 16.
  try_all({packed(64, 1024, 512), packed(1024, 64, 512), packed(128, 512, 512)}, 3);
}

TEST_CASE("07: more tiles of C than SMs") {
  // 144 tiles of 64 x 64 in `tiny_tiles`, and 5 steps of K in each: rings of 8 begin the second
  // tile of a block in the middle.
  try_all({packed(768, 768, 264)}, 5);
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

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

TEST_CASE("07: what 132 blocks want at the same time, tiles of 128 x 256, M = N = K = 16384") {
  // How many rows of tiles and how many columns the blocks compute in their first tiles; and the
  // bytes of A and B in all tiles, if what several blocks want at the same time comes once.
  struct Wanted {
    std::size_t rows, cols;
    double gigabytes;
  };
  const auto wanted = []<Order kOrder>() {
    const TileSchedule<kOrder> schedule{128, 64};
    const auto lists = tiles_of<kOrder>(128, 64, 132);
    Wanted out{0, 0, 0};
    for (std::size_t step = 0; step < 63; ++step) {
      std::set<int> rows, cols;
      for (const auto& tiles : lists) {
        if (step >= tiles.size()) continue;
        const TilePosition at = schedule.position(tiles[step]);
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

using TwoConsumers = Tiles<128, 64, 64, 4, 2>;
struct Pairs : Ways {
  static constexpr Load kLoadB = Load::k2D;
};
struct Tokens : Ways {
  static constexpr bool kTokens = true;
};
struct StaticWaitForAll : Ways {
  static constexpr Order kOrder = Order::kStatic;
  static constexpr int kInFlight = 0;
};

// All tiles of C by few blocks.
template <class Config>
void check_blocks() {
  const harness::Chapter& chapter = harness::chapters().front();
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const auto& c : {packed(384, 320, 136), packed(264, 200, 328), packed(256, 128, 0)}) {
      test::Trial trial(c);
      const auto g = operands<core::bf16>(trial.problem());
      if (Config::kNeighbours == 8 && !can_deal(trial.problem())) continue;
      auto plan = prepare<core::bf16, Config>(g);
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

TEST_CASE("07: rings go on from tile to tile") {
  check_blocks<Config<TwoConsumers>>();
  check_blocks<Config<TwoConsumers, Pairs>>();
  check_blocks<Config<TwoConsumers, Tokens>>();
  check_blocks<Config<TwoConsumers, StaticWaitForAll>>();
  check_blocks<Config<Tiles<64, 64, 64, 3, 1>>>();
}

TEST_CASE("07: rows are dealt out where N and C allow it") {
  gemm::Problem problem = packed(128, 96, 64).problem;
  CHECK(can_deal(problem));
  problem.ldc = 100;
  CHECK_FALSE(can_deal(problem));
  problem.ldc = 104;
  CHECK(can_deal(problem));
  alignas(16) char c[16] = {};
  problem.c = c + 8;
  CHECK_FALSE(can_deal(problem));
  problem.c = c;
  problem.n = 88;
  CHECK_FALSE(can_deal(problem));
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

// The tokens' aside beyond the contract: rings that go around several times, and from tile to tile.

#include <test/catch.hpp>
#include <test/few_blocks.hpp>

TEST_CASE("tokens: K goes around every ring more than twice, whole and ragged") {
  test::try_all({test::packed(72, 96, 1152), test::packed(136, 40, 1096)});
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

#include <set>

using namespace tokens;

TEST_CASE("tokens: every tile of C has one owner, and blocks differ by one tile at most") {
  const auto check = []<Order kOrder>() {
    const RangeSchedule<kOrder> schedule{{21, 5}};
    for (const int blocks : {1, 4, 7, 132}) {
      std::multiset<std::pair<int, int>> owned;
      for (int block = 0; block < blocks; ++block) {
        const auto range = schedule.of(block, blocks);
        const std::size_t before = owned.size();
        for (int tile = range.first; tile < range.end; tile += range.step) {
          const TileCoord at = schedule.coord(tile);
          owned.insert({at.row, at.col});
        }
        CHECK(
            (owned.size() - before == 105u / blocks || owned.size() - before == 105u / blocks + 1));
      }
      for (int tile = 0; tile < 105; ++tile) CHECK(owned.count({tile / 5, tile % 5}) == 1);
      CHECK(owned.size() == 105);
    }
  };
  check.operator()<Order::kGrouped>();
  check.operator()<Order::kStatic>();
}

TEST_CASE("tokens: rings go on from tile to tile") {
  const auto check = []<class C>(C) {
    std::size_t turn = 0;
    for (const test::Case& c :
         {test::packed(384, 320, 136), test::packed(264, 200, 328), test::packed(256, 128, 0)}) {
      INFO(label(c));
      test::Trial trial(c);
      test::try_by_few(trial,
                       prepare<core::bf16, C>(gemm::typed_operands<core::bf16>(trial.problem())),
                       turn++, [](auto& plan, unsigned blocks) { plan.shape.grid.x = blocks; });
    }
  };
  using TileA = OperandTile<128, Rows::kPlain>;
  using TileB = OperandTile<64, Rows::kPlain>;
  check(Config<TileA, TileB, 4, true>{});
  check(Config<TileA, TileB, 4, false, Order::kStatic>{});
  check(Config<WideTile<128, Load::k2D>, WideTile<64, Load::k2D>, 2>{});
}
#endif

// The tokens' aside beyond the contract: rings that go around several times, and from tile to tile.

#include <test/catch.hpp>
#include <test/every_variant.hpp>

TEST_CASE("tokens: K goes around every ring more than twice, whole and ragged") {
  test::try_all({test::packed(72, 96, 1152), test::packed(136, 40, 1096)});
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "kernel.cuh"

using namespace tokens;

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

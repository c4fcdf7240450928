// Chapter 07 beyond the contract: rings that go around several times, within a tile of C and from
// tile to tile.

#include <test/catch.hpp>
#include <test/every_variant.hpp>

using test::packed;

TEST_CASE("07: rings that go around several times, and more tiles of C than SMs") {
  // 18 k-tiles, the longest ring has 8 stages; rows of B are permuted. 64x16384x8192,
  // 16384x64x8192 and 128x8192x8192 by 16. 144 tiles of 64 x 64, and 5 k-tiles in each: rings of 8
  // begin the second tile of a block in the middle.
  test::try_all({packed(72, 96, 1152), packed(64, 1024, 512), packed(1024, 64, 512),
                 packed(128, 512, 512), packed(768, 768, 264)});
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace warp_specialized;

namespace {

struct WaitForAll : Config<128, 64, 4, 2, Rows::kPlain> {
  static constexpr int kMmasInFlight = 0;
};

}  // namespace

TEST_CASE("07: rings go on from tile to tile") {
  const auto check = []<class C>(C) {
    std::size_t turn = 0;
    for (const test::Case& c :
         {packed(384, 320, 136), packed(264, 200, 328), packed(256, 128, 0)}) {
      INFO(label(c));
      test::Trial trial(c);
      if (C::kStoreWidth == 8 && !can_permute(trial.problem())) continue;
      const auto g = gemm::typed_operands<core::bf16>(trial.problem());
      test::try_by_few(trial, prepare<core::bf16, C>(g), turn++,
                       [](auto& plan, unsigned blocks) { plan.shape.grid.x = blocks; });
    }
  };
  check(Config<128, 64, 4, 2>{});
  check(Config<128, 64, 4, 2, Rows::kPlain>{});
  check(Config<64, 64, 3, 1>{});
  check(WaitForAll{});
}
#endif

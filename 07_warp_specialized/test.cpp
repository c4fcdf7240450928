// Chapter 07 beyond the contract: rings that go around several times, within a tile of C and from
// tile to tile, and persistent blocks that leave no tile out.

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

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
  // 18 k-tiles, the longest ring has 8 stages. Rows of B are permuted in the first two.
  try_all({packed(72, 96, 1152), packed(136, 64, 1096, kFp16), packed(72, 40, 1152)}, 1);
}

TEST_CASE("07: small, ragged, wide, tall and flat") {
  try_all({packed(1, 1, 8), packed(127, 129, 72), packed(127, 160, 72, kFp16)}, 1);
  // 64x16384x8192, 16384x64x8192 and 128x8192x8192 by 16.
  try_all({packed(64, 1024, 512), packed(1024, 64, 512), packed(128, 512, 512)}, 3);
}

TEST_CASE("07: more tiles of C than SMs") {
  // 144 tiles of 64 x 64, and 5 k-tiles in each: rings of 8 begin the second tile of a block in the
  // middle.
  try_all({packed(768, 768, 264)}, 5);
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace warp_specialized;

TEST_CASE("07: every tile of C has one owner") {
  for (const auto& [tiles_m, tiles_n] :
       {std::pair{1, 1}, std::pair{2, 5}, std::pair{8, 3}, std::pair{21, 5}}) {
    const TileSchedule schedule{tiles_m, tiles_n};
    CHECK(schedule.tiles() == tiles_m * tiles_n);
    std::set<std::pair<int, int>> owned;
    for (int tile = 0; tile < schedule.tiles(); ++tile) {
      const TileCoord at = schedule.coord(tile);
      CHECK((at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n));
      owned.insert({at.row, at.col});
    }
    CHECK(owned.size() == static_cast<std::size_t>(schedule.tiles()));
  }
}

namespace {

struct WaitForAll : Config<128, 64, 4, 2, Rows::kPlain> {
  static constexpr int kMmasInFlight = 0;
};

// All tiles of C by few blocks.
template <class Config>
void check_blocks() {
  const harness::Chapter& chapter = harness::chapters().front();
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const auto& c : {packed(384, 320, 136), packed(264, 200, 328), packed(256, 128, 0)}) {
      test::Trial trial(c);
      if (Config::kStoreWidth == 8 && !can_permute(trial.problem())) continue;
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

TEST_CASE("07: rings go on from tile to tile") {
  check_blocks<Config<128, 64, 4, 2>>();
  check_blocks<Config<128, 64, 4, 2, Rows::kPlain>>();
  check_blocks<Config<64, 64, 3, 1>>();
  check_blocks<WaitForAll>();
}
#endif

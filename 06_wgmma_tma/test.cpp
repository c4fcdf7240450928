// Chapter 06 beyond the contract: a tile lies as the layout algebra says, a load goes to the stage
// that is free, permuted rows of B make pairs neighbours, every tile of C has one owner, and every
// number of k-tiles comes out right.

#include <harness/chapter.hpp>
#include <layout/layout.hpp>
#include <layout/wgmma_smem.hpp>

#include <test/backend.hpp>
#include <test/catch.hpp>
#include <test/trial.hpp>

#include <core/error.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

using namespace wgmma_tma;

TEST_CASE("06: the descriptor is that of the canonical K-major layout with a 128-byte swizzle") {
  const auto check = []<int MN>() {
    using Tile = OperandTile<MN, Rows::kPlain>;
    const auto strides = layout::wgmma_strides(
        layout::wgmma_tile(layout::Major::kK, 128, 16, MN, Tile::BK), layout::Major::kK, 128, 16);
    CHECK_FALSE(strides.leading_used);
    CHECK(strides.stride_used);
    CHECK(16 * strides.stride == 1024);
    CHECK(Tile::step_bytes(16) == 32);
  };
  check.operator()<64>();
  check.operator()<128>();
  check.operator()<256>();
}

// Tensor cores read 8 rows of 16 bytes at a time.
TEST_CASE("06: core matrices are read without bank conflicts, because of the swizzle") {
  const auto conflicts = [](core::SwizzleMode swizzle, int k) {
    const auto place = [&](int row) {
      return core::swizzled(swizzle, static_cast<std::uint32_t>(2 * (row * 64 + k))) / 2;
    };
    return layout::bank_conflicts(place, 8, 16, 8);
  };
  for (int k = 0; k < 64; k += 8) {
    CHECK(conflicts(core::SwizzleMode::k128B, k).free());
    CHECK(conflicts(core::SwizzleMode::kNone, k).worst == 8);
  }
}

TEST_CASE("06: a load goes to the stage that the k-tile before has freed") {
  const auto check = []<int kStages>() {
    using C = Config<64, 64, kStages>;
    CAPTURE(kStages, C::kAhead);
    CHECK(C::kAhead + C::kMmasInFlight == kStages);
    PipelineState<kStages> to_load, state;
    std::vector<int> tile_in(kStages, -1);
    const auto load = [&](int k_tile) {
      tile_in[to_load.index] = k_tile;
      ++to_load;
    };
    for (int k_tile = 0; k_tile < C::kAhead; ++k_tile) load(k_tile);
    for (int k_tile = 0; k_tile < 4 * kStages; ++k_tile, ++state) {
      CHECK(tile_in[state.index] == k_tile);  // it was loaded, and not since overwritten
      CHECK(state.phase == static_cast<unsigned>(k_tile / kStages % 2));
      // The tile that goes, now that the MMAs of all but kMmasInFlight k-tiles are over.
      CHECK(tile_in[to_load.index] == (k_tile < C::kMmasInFlight ? -1 : k_tile - C::kMmasInFlight));
      load(k_tile + C::kAhead);
    }
  };
  check.operator()<1>();
  check.operator()<2>();
  check.operator()<3>();
  check.operator()<4>();
  check.operator()<6>();
}

TEST_CASE("06: every tile of C has one owner") {
  for (const auto& [tiles_m, tiles_n] :
       {std::pair{1, 1}, std::pair{8, 3}, std::pair{9, 1}, std::pair{21, 5}}) {
    std::set<std::pair<int, int>> owned;
    for (int tile = 0; tile < tiles_m * tiles_n; ++tile) {
      const TileCoord at = tile_coord<8>(tile, tiles_m, tiles_n);
      CHECK((at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n));
      owned.insert({at.row, at.col});
    }
    CHECK(owned.size() == static_cast<std::size_t>(tiles_m * tiles_n));
  }
}

TEST_CASE("06: rows of B are permuted where N and C allow it") {
  gemm::Problem problem = gemm::packed_problem(128, 96, 64, gemm::DataType::kBf16);
  CHECK(can_permute(problem));
  problem.ldc = 100;
  CHECK_FALSE(can_permute(problem));
  problem.ldc = 104;
  CHECK(can_permute(problem));
  alignas(16) char c[16] = {};
  problem.c = c + 8;
  CHECK_FALSE(can_permute(problem));
  problem.c = c;
  problem.n = 88;
  CHECK_FALSE(can_permute(problem));
}

TEST_CASE("06: permuted rows are a permutation that makes pairs neighbours") {
  std::set<int> rows;
  for (int r = 0; r < 64; ++r) rows.insert(permuted_row(r));
  CHECK(rows.size() == 64);
  CHECK(*rows.rbegin() == 63);
  // The accumulator atom: which (row, column) of 64 x 32 value v of thread t is.
  const layout::Layout c = layout::wgmma_m64k16(32).c;
  for (int thread = 0; thread < 128; ++thread) {
    for (int value = 0; value < 16; ++value) {
      const auto place = c(thread, value);
      const int column = permuted_row(static_cast<int>(place / 64));
      const int pair = value / 4, element = value % 2;
      CHECK(column == 8 * (thread % 4) + 2 * pair + element);
    }
  }
  // As a layout: three modes trade places.
  const layout::Layout permuted{{2, 4, 4}, {1, 8, 2}};
  for (int r = 0; r < 32; ++r) CHECK(permuted_row(r) == permuted(r));
}
#endif

// --- Whole problems, on either backend -----------------------------------------------------------

namespace {

using test::Case;
using test::Trial;

Case packed(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
          .values = gemm::Values::kIntegers};
}

}  // namespace

TEST_CASE("06: every number of k-tiles, from none to twice around the ring") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (int k_tiles = 0; k_tiles <= 13; ++k_tiles) {
      for (const Case& c : {packed(72, 64, 64 * k_tiles), packed(72, 40, 64 * k_tiles + 8)}) {
        test::SharedCase shared(c);
        for (const harness::Variant& variant : chapter.variants) {
          INFO("variant " << variant.name << ", " << policy << ", " << label(c));
          CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
        }
      }
    }
  }
}

TEST_CASE("06: what TMA cannot read is refused, and only that") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  const auto answer = [&](const Case& c) -> std::string {
    const Trial trial(c);
    try {
      harness::prepare(chapter, chapter.variants.front(), trial.problem());
    } catch (const core::Refused& refused) {
      return refused.what();
    }
    return "accepted";
  };
  Case c = packed(40, 24, 64);
  c.problem.lda = 68;
  CHECK(answer(c).find("06_wgmma_tma: lda") == 0);
  c = packed(40, 24, 64);
  c.problem.ldb = 65;
  CHECK(answer(c).find("06_wgmma_tma: ldb") == 0);
  c = packed(40, 24, 64);
  c.a_offset = 4;
  CHECK(answer(c).find("06_wgmma_tma: ") == 0);

  c = packed(40, 23, 61);  // K and N may be odd, and so may C's rows and address
  c.problem.lda = c.problem.ldb = 64;
  c.problem.ldc = 25;
  c.c_offset = 1;
  CHECK(answer(c) == "accepted");
  CHECK(test::try_case(chapter, chapter.variants.front(), c) == std::vector<std::string>{});
  c = packed(40, 24, 0);  // nothing to read
  c.problem.lda = c.problem.ldb = 3;
  CHECK(answer(c) == "accepted");
}

// Chapter 06 beyond the contract: the tiles that TMA writes are what the descriptors say, for every
// major and swizzle, a load goes to the stage that is free, every tile of C has one owner, and all
// majors and every number of tiles along K come out right.

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
#include "kernel.cuh"

using namespace wgmma_tma;

namespace {

template <class Check>
void for_every_tile(Check check) {
  const auto swizzles = [&]<int MN, Major kMajor>() {
    check(OperandTile<MN, 64, kMajor, SwizzleMode::kNone>{});
    check(OperandTile<MN, 64, kMajor, SwizzleMode::k32B>{});
    check(OperandTile<MN, 64, kMajor, SwizzleMode::k64B>{});
    check(OperandTile<MN, 64, kMajor, SwizzleMode::k128B>{});
  };
  const auto sizes = [&]<Major kMajor>() {
    swizzles.template operator()<64, kMajor>();
    swizzles.template operator()<192, kMajor>();
    swizzles.template operator()<256, kMajor>();
  };
  sizes.template operator()<Major::kK>();
  sizes.template operator()<Major::kMn>();
}

template <class Tile>
constexpr layout::Major kLayoutMajor = Tile::kAlongK ? layout::Major::kK : layout::Major::kMn;
template <class Tile>
constexpr layout::Int kSwizzleBytes = Tile::kSwizzle == SwizzleMode::kNone
                                          ? 0
                                          : core::span_bytes(Tile::kSwizzle);

// The tile of (mn, k) as the layout algebra writes it.
template <class Tile>
layout::Swizzled algebra() {
  using layout::Layout;
  const Layout along{{Tile::kWidth, Tile::kBoxes}, {1, Tile::kBoxSize}};
  const Layout across{Tile::kRows, Tile::kWidth};
  return {layout::wgmma_atom(kLayoutMajor<Tile>, kSwizzleBytes<Tile>, 16).swizzle,
          Tile::kAlongK ? layout::bundle(across, along) : layout::bundle(along, across)};
}

}  // namespace

TEST_CASE("06: elements lie where the layout algebra says") {
  for_every_tile([]<class Tile>(Tile) {
    const layout::Swizzled tile = algebra<Tile>();
    CAPTURE(Tile::kAlongK, Tile::kWidth, Tile::kRows, Tile::kBoxes);
    std::set<layout::Int> places;
    int wrong = 0;
    for (int mn = 0; mn < tile.layout.mode(0).size(); ++mn) {
      for (int k = 0; k < tile.layout.mode(1).size(); ++k) {
        wrong += tile.layout(mn, k) != Tile::offset(mn, k);
        // TMA and wgmma swizzle addresses in bytes, the algebra elements.
        const auto bytes = static_cast<std::uint32_t>(2 * Tile::offset(mn, k));
        wrong += 2 * tile(mn, k) != core::swizzled(Tile::kSwizzle, bytes);
        places.insert(tile(mn, k));
      }
    }
    CHECK(wrong == 0);
    CHECK(places.size() == static_cast<std::size_t>(Tile::kSize));
    CHECK(*places.rbegin() == Tile::kSize - 1);
  });
}

TEST_CASE("06: the descriptor's strides are those of the canonical layout") {
  for_every_tile([]<class Tile>(Tile) {
    CAPTURE(Tile::kAlongK, Tile::kWidth, Tile::kRows, Tile::kBoxes);
    const auto strides =
        layout::wgmma_strides(algebra<Tile>(), kLayoutMajor<Tile>, kSwizzleBytes<Tile>, 16);
    if (strides.leading_used) CHECK(16 * strides.leading == Tile::kLeadingBytes);
    if (strides.stride_used) CHECK(16 * strides.stride == Tile::kStrideBytes);
  });
}

TEST_CASE("06: a tile is as many boxes as the page says") {
  using enum SwizzleMode;
  using enum Major;
  CHECK(OperandTile<256, 64, kK, k128B>::kBoxes == 1);
  CHECK(OperandTile<256, 64, kK, k64B>::kBoxes == 2);
  CHECK(OperandTile<256, 64, kK, k32B>::kBoxes == 4);
  CHECK(OperandTile<256, 64, kK, kNone>::kBoxes == 8);
  CHECK(OperandTile<256, 64, kMn, k128B>::kBoxes == 4);
  CHECK(OperandTile<256, 64, kMn, k128B>::kRows == 64);
}

// Tensor cores read 8 rows of 16 bytes at a time: along m or n where K is contiguous, along k
// otherwise.
TEST_CASE("06: core matrices are read without bank conflicts, swizzled or in boxes of 16 bytes") {
  const auto conflicts = []<class Tile>(Tile, SwizzleMode swizzle, int along, int across) {
    const auto place = [&](int row) {
      const int offset =
          Tile::kAlongK ? Tile::offset(across + row, along) : Tile::offset(along, across + row);
      return core::swizzled(swizzle, static_cast<std::uint32_t>(2 * offset)) / 2;
    };
    return layout::bank_conflicts(place, 8, 16, 8);
  };
  for_every_tile([&]<class Tile>(Tile tile) {
    CAPTURE(Tile::kAlongK, Tile::kWidth, Tile::kRows, Tile::kBoxes);
    int met = 0;
    for (int across = 0; across < Tile::kRows; across += 8) {
      for (int along = 0; along < Tile::kWidth * Tile::kBoxes; along += 8) {
        met += !conflicts(tile, Tile::kSwizzle, along, across).free();
      }
    }
    CHECK(met == 0);
  });
  // The same rows of 128 bytes as they come are on the same four banks.
  CHECK(conflicts(OperandTile<64, 64, Major::kK, SwizzleMode::k128B>{}, SwizzleMode::kNone, 0, 0)
            .worst == 8);
}

TEST_CASE("06: a load goes to the stage that the step before has freed") {
  const auto check = []<int kStages>() {
    using C = Config<64, 64, kStages>;
    CAPTURE(kStages, C::kAhead);
    CHECK(C::kAhead + C::kInFlight == kStages);
    Slot<kStages> to_load, slot;
    std::vector<int> tile_in(kStages, -1);
    const auto load = [&](int k_tile) {
      tile_in[to_load.index] = k_tile;
      ++to_load;
    };
    for (int k_tile = 0; k_tile < C::kAhead; ++k_tile) load(k_tile);
    for (int k_tile = 0; k_tile < 4 * kStages; ++k_tile, ++slot) {
      CHECK(tile_in[slot.index] == k_tile);  // it was loaded, and not since overwritten
      CHECK(slot.parity == static_cast<unsigned>(k_tile / kStages % 2));
      // The tile that goes, now that all but kInFlight multiplications are over.
      CHECK(tile_in[to_load.index] == (k_tile < C::kInFlight ? -1 : k_tile - C::kInFlight));
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
      const TilePosition at = tile_position<8>(tile, tiles_m, tiles_n);
      CHECK((at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n));
      owned.insert({at.row, at.col});
    }
    CHECK(owned.size() == static_cast<std::size_t>(tiles_m * tiles_n));
  }
}
#endif

// --- Whole problems, on either backend -----------------------------------------------------------

namespace {

using test::Case;
using test::Trial;

// Calls check(variant) under every policy, for the variants wanted.
template <class Check>
void for_variants(const std::set<std::string>& wanted, Check check) {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const harness::Variant& variant : chapter.variants) {
      if (!wanted.contains(variant.name)) continue;
      INFO("variant " << variant.name << ", " << policy);
      check(variant);
    }
  }
}

// Unlike the contract, takes no refusal for an answer.
void check_right(const harness::Variant& variant, const Case& c) {
  INFO(label(c));
  Trial trial(c);
  variant.prepare(trial.problem()).run(gpu::Stream{});
  gpu::synchronize();
  CHECK(trial.complaints() == std::vector<std::string>{});
}

Case problem(std::int64_t m, std::int64_t n, std::int64_t k, bool a_along_m = false,
             bool b_along_n = false) {
  Case c{.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
         .values = gemm::Values::kIntegers};
  c.problem.a_major = a_along_m ? gemm::Major::kMn : gemm::Major::kK;
  c.problem.b_major = b_along_n ? gemm::Major::kMn : gemm::Major::kK;
  const auto rows_of_16_bytes = [](std::int64_t elements) { return (elements + 7) / 8 * 8; };
  c.problem.lda = rows_of_16_bytes(a_along_m ? m : k);
  c.problem.ldb = rows_of_16_bytes(b_along_n ? n : k);
  return c;
}

}  // namespace

TEST_CASE("06: every number of tiles along K, from none to twice around the ring") {
  for_variants({"wide", "n64", "n128", "stages_1", "stages_2", "stages_3"},
               [](const harness::Variant& variant) {
                 for (int k_tiles = 0; k_tiles <= 9; ++k_tiles) {
                   check_right(variant, problem(72, 40, 64 * k_tiles));
                   if (k_tiles > 0) check_right(variant, problem(72, 40, 64 * k_tiles - 31));
                 }
               });
}

TEST_CASE("06: all majors, on whole and on ragged tiles") {
  for_variants({"by_size", "wide", "n128", "small_tiles"}, [](const harness::Variant& variant) {
    for (const bool a_along_m : {false, true}) {
      for (const bool b_along_n : {false, true}) {
        check_right(variant, problem(128, 256, 192, a_along_m, b_along_n));
        check_right(variant, problem(67, 141, 201, a_along_m, b_along_n));
        check_right(variant, problem(5, 3, 0, a_along_m, b_along_n));
      }
    }
  });
}

TEST_CASE("06: what TMA cannot read is refused, and only that") {
  const auto answer = [](const harness::Variant& variant, const Case& c) -> std::string {
    const Trial trial(c);
    try {
      variant.prepare(trial.problem());
    } catch (const core::Refused& refused) {
      return refused.what();
    }
    return "accepted";
  };
  for_variants({"by_size", "wide", "n192"}, [&](const harness::Variant& variant) {
    Case c = problem(40, 24, 64);
    c.problem.lda = 68;
    CHECK(answer(variant, c).find("06_wgmma_tma: lda") == 0);
    c = problem(40, 24, 64);
    c.problem.ldb = 65;
    CHECK(answer(variant, c).find("06_wgmma_tma: ldb") == 0);
    c = problem(40, 24, 64);
    c.a_offset = 4;
    CHECK(answer(variant, c).find("06_wgmma_tma: ") == 0);
    c = problem(42, 24, 64, true);
    c.problem.lda = 42;
    CHECK(answer(variant, c).find("06_wgmma_tma: lda") == 0);

    c = problem(40, 23, 61);  // K and N may be odd, and so may C's rows and address
    c.problem.ldc = 25;
    c.c_offset = 1;
    check_right(variant, c);
    c = problem(40, 24, 0);  // nothing to read
    c.problem.lda = c.problem.ldb = 3;
    check_right(variant, c);
  });
}

TEST_CASE("06: what the chapter offers") {
  const harness::Chapter& chapter = harness::chapters().front();
  CHECK(chapter.layouts == std::vector<std::string>{"tn", "nn", "nt", "tt"});
  CHECK(chapter.min_compute_capability == 90);
  REQUIRE(chapter.variants.size() == 13);
  CHECK(chapter.variants.front().name == "by_size");
  CHECK(chapter.variants.back().name == "swizzle_64");
}

// The lab on either backend: every combination and every example of one wgmma is right; and the
// GEMM with operands of every major and tiles of every swizzle.

#include "show.hpp"

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
#include <vector>

TEST_CASE("lab: every combination of source, major and swizzle is right") {
  const std::vector<wgmma_lab::Case> cases = wgmma_lab::all_combinations();
  REQUIRE(cases.size() == 288);
  for (const wgmma_lab::Case& c : cases) {
    const wgmma_lab::Verdict verdict = run(c);
    INFO(name(c.a) << "; " << wgmma_lab::name(c.b, 'N') << "; N = " << c.n);
    CHECK(verdict.why == "");
  }
}

TEST_CASE("lab: every example is right") {
  for (const auto& examples : {wgmma_lab::worked_examples(), wgmma_lab::deep_examples(),
                               wgmma_lab::tma_examples(), wgmma_lab::other_examples()}) {
    REQUIRE(examples.size() >= 4);
    for (const wgmma_lab::Example& example : examples) {
      INFO(example.title);
      CHECK(run(example.c).why == "");
    }
  }
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "kernel.cuh"

using namespace wgmma_lab;

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

TEST_CASE("lab: elements lie where the layout algebra says") {
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

TEST_CASE("lab: the descriptor's strides are those of the canonical layout") {
  for_every_tile([]<class Tile>(Tile) {
    CAPTURE(Tile::kAlongK, Tile::kWidth, Tile::kRows, Tile::kBoxes);
    const auto strides =
        layout::wgmma_strides(algebra<Tile>(), kLayoutMajor<Tile>, kSwizzleBytes<Tile>, 16);
    if (strides.leading_used) CHECK(16 * strides.leading == Tile::kLeadingBytes);
    if (strides.stride_used) CHECK(16 * strides.stride == Tile::kStrideBytes);
  });
}

TEST_CASE("lab: a tile is as many boxes as the page says") {
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
TEST_CASE("lab: core matrices are read without bank conflicts, swizzled or in boxes of 16 bytes") {
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

#endif

// --- Whole problems, on either backend -----------------------------------------------------------

namespace {

test::Case problem(std::int64_t m, std::int64_t n, std::int64_t k, bool a_along_m = false,
                   bool b_along_n = false) {
  test::Case c{.problem = gemm::packed_problem(m, n, k, gemm::DataType::kBf16),
               .values = gemm::Values::kIntegers};
  c.problem.a_major = a_along_m ? gemm::Major::kMn : gemm::Major::kK;
  c.problem.b_major = b_along_n ? gemm::Major::kMn : gemm::Major::kK;
  const auto rows_of_16_bytes = [](std::int64_t elements) { return (elements + 7) / 8 * 8; };
  c.problem.lda = rows_of_16_bytes(a_along_m ? m : k);
  c.problem.ldb = rows_of_16_bytes(b_along_n ? n : k);
  return c;
}

}  // namespace

TEST_CASE("lab: all majors, on whole and on ragged tiles, with rings that wrap twice") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  for (const std::string& policy : test::policies(chapter)) {
    test::set_policy(policy);
    for (const bool a_along_m : {false, true}) {
      for (const bool b_along_n : {false, true}) {
        for (const auto& c :
             {problem(128, 256, 192, a_along_m, b_along_n),
              problem(67, 141, 201, a_along_m, b_along_n),
              problem(72, 40, 576, a_along_m, b_along_n), problem(5, 3, 0, a_along_m, b_along_n)}) {
          test::SharedCase shared(c);
          for (const harness::Variant& variant : chapter.variants) {
            INFO("variant " << variant.name << ", " << policy << ", " << label(c));
            CHECK(shared.try_variant(chapter, variant) == std::vector<std::string>{});
          }
        }
      }
    }
  }
}

TEST_CASE("lab: rows that TMA cannot read are refused, in the direction that is contiguous") {
  const harness::Chapter& chapter = harness::chapters().front();
  if (test::why_not(chapter)) return;
  test::Case c = problem(42, 24, 64, true);
  c.problem.lda = 42;
  const test::Trial trial(c);
  std::string said;
  try {
    harness::prepare(chapter, chapter.variants.front(), trial.problem());
  } catch (const core::Refused& refused) {
    said = refused.what();
  }
  CHECK(said.find("lab: lda") == 0);
}

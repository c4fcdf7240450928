// Chapter 06 beyond the contract: the tiles that TMA writes are what the descriptors say, for every
// major and swizzle, and every tile of C has one owner.

#include <layout/layout.hpp>
#include <layout/wgmma_smem.hpp>

#include <test/catch.hpp>

#include <set>
#include <utility>

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

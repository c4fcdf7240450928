// Chapter 05's own functions: no access to shared memory meets a bank twice, and every tile of C
// and every tile along K has one owner.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "kernel.cuh"

#include <layout/layout.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

using namespace swizzle_pipeline;

namespace {

template <class Check>
void for_every_config(Check check) {
  check(Config<LargeTiles, 3, 8>{});
  check(Config<MediumTiles, 3, 8>{});
  check(Config<SmallTiles, 4, 8>{});
  check(Config<SmallTiles, 4, 4>{});
  check(Config<SmallTiles, 4, 2>{});
  check(Config<Shallow<SmallTiles>, 4, 1>{});
  check(Config<Shallow<LargeTiles>, 5, 8>{});
  check(Config<LargeTiles, 3, 8, SmemLayout::kPadded>{});
}

// What lane_a and lane_b of the kernel are, for a warp tile that begins in row 0.
template <class C>
int lane_a(int lane) {
  return C::smem_offset(lane % 16, lane / 16 * 8);
}
template <class C>
int lane_b(int lane) {
  return C::smem_offset(lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8);
}

// Does reading 8 rows one below the other, 16 bytes of each, meet a bank twice under `swizzle`?
bool columns_are_free(const layout::Swizzle& swizzle, int row_elements) {
  for (int col = 0; col < row_elements; col += 8) {
    const auto offset = [&](int row) { return swizzle(row * row_elements + col); };
    if (!layout::bank_conflicts(offset, 8, 16, 8).free()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("05: the swizzle is the formula's, and a bit less would not do") {
  CHECK(Config<LargeTiles, 3, 8>::swizzle() == layout::Swizzle(3, 3, 3));
  CHECK(Config<Shallow<LargeTiles>, 5, 8>::swizzle() == layout::Swizzle(2, 3, 3));
  for_every_config([]<class C>(C) {
    if (C::kLayout == SmemLayout::kPadded) return;
    const layout::Swizzle swizzle = C::swizzle();
    CHECK(swizzle == layout::swizzle_for_columns(C::BK, 16, 8));
    CHECK(columns_are_free(swizzle, C::BK));
    CHECK(!columns_are_free({swizzle.b - 1, swizzle.m, swizzle.s}, C::BK));
  });
}

TEST_CASE("05: every element of a tile has a place of its own") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::BM, C::BN, C::BK, C::kPitch);
    for (const int rows : {C::BM, C::BN}) {
      std::set<int> offsets;
      for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < C::BK; ++col) offsets.insert(C::smem_offset(row, col));
      }
      CHECK(offsets.size() == static_cast<std::size_t>(rows * C::BK));
      CHECK(*offsets.begin() == 0);
      CHECK(*offsets.rbegin() < rows * C::kPitch);
    }
  });
}

TEST_CASE("05: one exclusive-or leads to the next slice, one addition to the rows below") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::BM, C::BN, C::BK, C::kPitch);
    int wrong = 0;
    for (int slice = 0; slice < C::kSlices; ++slice) {
      for (int row = 0; row < C::BM; ++row) {
        for (int col = 0; col < C::MMA_K; ++col) {
          wrong += C::smem_slice(C::smem_offset(row, col), slice) !=
                   C::smem_offset(row, col + slice * C::MMA_K);
          if (row + 16 >= C::BM) continue;
          wrong += C::smem_offset(row, col) + 16 * C::kPitch != C::smem_offset(row + 16, col);
        }
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("05: fragments are read without bank conflicts") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::BM, C::BN, C::BK, C::kPitch);
    for (int slice = 0; slice < C::kSlices; ++slice) {
      for (int row = 0; row < C::BM; row += 16) {
        const auto a = [&](int lane) {
          return C::smem_slice(lane_a<C>(lane), slice) + row * C::kPitch;
        };
        const auto b = [&](int lane) {
          return C::smem_slice(lane_b<C>(lane), slice) + row * C::kPitch;
        };
        CHECK(layout::bank_conflicts(a, 32, 16, 8).free());
        CHECK(layout::bank_conflicts(b, 32, 16, 8).free());
      }
    }
  });
  // Without swizzle and padding all eight rows of a matrix are on the same four banks.
  const auto plain = [](int lane) { return lane % 16 * 64 + lane / 16 * 8; };
  CHECK(layout::bank_conflicts(plain, 32, 16, 8).worst == 8);
}

TEST_CASE("05: copies arrive without bank conflicts") {
  for_every_config([]<class C>(C) {
    if (C::kVector == 1) return;  // two threads to a bank's word
    CAPTURE(C::BM, C::BN, C::BK, C::kPitch, C::kVector);
    const auto check = [&]<class Map>(Map) {
      for (int i = 0; i < Map::kIterations; ++i) {
        for (int first = 0; first < C::kThreads; first += 32) {
          const auto offset = [&](int lane) {
            return C::smem_offset(Map::row(first + lane, i), Map::col(first + lane, i));
          };
          CHECK(layout::bank_conflicts(offset, 32, 16, C::kVector).free());
        }
      }
    };
    check(typename C::MapA{});
    check(typename C::MapB{});
  });
}

TEST_CASE("05: the way out is free of bank conflicts too") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::WN);
    const auto write = [](int pitch) {  // a pair of fp32 sums per lane
      return layout::bank_conflicts([&](int lane) { return lane / 4 * pitch + lane % 4 * 2; }, 32,
                                    32, 2);
    };
    CHECK(write(Slab<C>::kPitch).free());
    CHECK(!write(C::WN).free());

    // A lane reads kCount results, a quad at a time.
    const auto read = [](int count, int part, bool swapped) {
      return layout::bank_conflicts(
          [&](int lane) {
            const int lanes_per_row = C::WN / count;
            const int quad = swapped ? part ^ (lane / 4 % 2 * 4) : part;
            return lane / lanes_per_row * Slab<C>::kPitch + lane % lanes_per_row * count + quad;
          },
          32, 32, 4);
    };
    for (const int part : {0, 4}) {
      CHECK(read(8, part, true).free());  // for 16-bit results
      CHECK(!read(8, part, false).free());
    }
    CHECK(read(4, 0, false).free());  // for fp32, the sums of a part
  });
}

TEST_CASE("05: every tile of C is visited once, in groups of rows") {
  const auto check = []<int kGroupRows>() {
    for (int tiles_m = 1; tiles_m <= 20; ++tiles_m) {
      for (int tiles_n = 1; tiles_n <= 9; ++tiles_n) {
        CAPTURE(kGroupRows, tiles_m, tiles_n);
        std::set<std::pair<int, int>> visited;
        int outside = 0, out_of_order = 0;
        for (int tile = 0; tile < tiles_m * tiles_n; ++tile) {
          const auto [row, col] = tile_position<kGroupRows>(tile, tiles_m, tiles_n);
          outside += row < 0 || row >= tiles_m || col < 0 || col >= tiles_n;
          // All tiles of the groups before have been visited.
          out_of_order += tile / (kGroupRows * tiles_n) != row / kGroupRows;
          visited.insert({row, col});
        }
        CHECK(outside == 0);
        CHECK(out_of_order == 0);
        CHECK(visited.size() == static_cast<std::size_t>(tiles_m * tiles_n));
      }
    }
  };
  check.operator()<1>();
  check.operator()<3>();
  check.operator()<8>();

  const TilePosition by_row = tile_position<1>(7, 4, 5);  // a row at a time is row-major
  CHECK((by_row.row == 1 && by_row.col == 2));
  const TilePosition down = tile_position<8>(9, 16, 5);  // a group goes down its columns
  CHECK((down.row == 1 && down.col == 1));
  const TilePosition ragged = tile_position<8>(8 * 5 + 4, 11, 5);  // its last group has 3 rows
  CHECK((ragged.row == 9 && ragged.col == 1));
}

TEST_CASE("05: the parts of K cover it once, and differ by a tile at most") {
  for (int k_tiles = 0; k_tiles <= 70; ++k_tiles) {
    for (int parts = 1; parts <= std::max(1, k_tiles); ++parts) {
      CAPTURE(k_tiles, parts);
      int next = 0, wrong = 0;
      for (int part = 0; part < parts; ++part) {
        const KRange range = k_range(part, parts, k_tiles);
        const int length = range.end - range.first;
        wrong += range.first != next;
        wrong += length != k_tiles / parts && length != (k_tiles + parts - 1) / parts;
        next = range.end;
      }
      CHECK(wrong == 0);
      CHECK(next == k_tiles);
    }
  }
  // The page's example: 4096 in 20 parts, tiles of 64.
  int of_192 = 0, of_256 = 0;
  for (int part = 0; part < 20; ++part) {
    const KRange range = k_range(part, 20, 4096 / 64);
    of_192 += (range.end - range.first) * 64 == 192;
    of_256 += (range.end - range.first) * 64 == 256;
  }
  CHECK((of_192 == 16 && of_256 == 4));
  // No overflow on the way: the largest K, in as many parts as a grid may have.
  constexpr int kTiles = gemm::kLargestSize / 32;
  CHECK(k_range(65534, 65535, kTiles).end == kTiles);
}

TEST_CASE("05: epilogues, one result at a time") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  CHECK(Identity{}(1.5f, kNan, 0) == 1.5f);
  CHECK(Scale{2.0f}(1.5f, kNan, 0) == 3.0f);
  CHECK(AlphaBeta{2.0f, -1.0f}(1.5f, 4.0f, 0) == -1.0f);
  const core::bf16 bias[2] = {core::from_float<core::bf16>(0.5f), core::from_float<core::bf16>(-2)};
  const BiasRelu<core::bf16> relu{bias};
  CHECK(relu(1.0f, kNan, 0) == 1.5f);
  CHECK(relu(1.0f, kNan, 1) == 0.0f);
  CHECK(std::isnan(relu(kNan, 0.0f, 0)));
}

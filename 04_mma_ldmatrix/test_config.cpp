// Chapter 04's tiles in shared memory: no access meets a bank twice.

#include "config.cuh"
#include "fragments.hpp"

#include <layout/layout.hpp>

#include <test/catch.hpp>

using namespace mma_ldmatrix;

namespace {

template <class Check>
void for_every_config(Check check) {
  check(Config<LargeTiles, 8>{});
  check(Config<SmallTiles, 8>{});
  check(Config<NarrowTiles, 1>{});
}

// Wavefronts of a store of 16 bytes per thread, in a warp, where thread t stores what place(t)
// says.
template <class C, class Place>
int wavefronts(int warp, Place place) {
  const auto offset = [&](int lane) {
    const int thread = place(32 * warp + lane);
    return C::smem_offset(C::MapB::row(thread, 0), C::MapB::col(thread, 0));
  };
  return layout::bank_conflicts(offset, 32, 16, C::kVector).wavefronts;
}

}  // namespace

TEST_CASE("04: fragments are read without bank conflicts") {
  for_every_config([]<class C>(C) {
    CAPTURE(C::BM, C::BN, C::BK);
    const auto free = [](Coord (*coord)(int), int elements) {
      const auto offset = [&](int lane) {
        return C::smem_offset(coord(lane).row, coord(lane).col);
      };
      return layout::bank_conflicts(offset, 32, 16, elements).free();
    };
    CHECK(free(row_of_a, 8));
    CHECK(free(row_of_b, 8));
    CHECK(free(pair_of, 2));
  });
}

TEST_CASE("04: k-tiles are stored without bank conflicts, thanks to the order of threads") {
  using Large = Config<LargeTiles, 8>;
  using Small = Config<SmallTiles, 8>;
  for (int warp = 0; warp < 8; ++warp) {
    CHECK(wavefronts<Large>(warp, Large::place) == 4);
    CHECK(wavefronts<Large>(warp, [](int thread) { return thread; }) == 8);
  }
  for (int warp = 0; warp < 4; ++warp) CHECK(wavefronts<Small>(warp, Small::place) == 4);
}

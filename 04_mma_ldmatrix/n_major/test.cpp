// B with N contiguous beyond the contract: whole, ragged and odd problems.

#include <test/catch.hpp>
#include <test/trial.hpp>

TEST_CASE("n_major: right where N is contiguous in B") {
  std::vector<test::Case> cases = {test::packed(128, 256, 192), test::packed(67, 131, 45),
                                   test::packed(40, 24, 0), test::packed(136, 72, 1032)};
  for (test::Case& c : cases) {
    c.problem.b_major = gemm::Major::kMn;
    c.problem.ldb = c.problem.n;
  }
  test::try_all(cases);
}

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include <layout/layout.hpp>
#include "kernel.cuh"

using namespace n_major;

TEST_CASE("n_major: B is stored and fetched without bank conflicts") {
  const auto check = []<class C>(C) {
    using TileB = typename C::TileB;
    const auto free = [](auto coord, int elements) {
      const auto offset = [&](int lane) {
        return TileB::smem_offset(coord(lane).row, coord(lane).col);
      };
      return layout::bank_conflicts(offset, 32, 16, elements).free();
    };
    CHECK(free(row_of_b_transposed, 8));
    CHECK(free(pair_of_b_transposed, 1));
    const auto stored = [](int lane) {
      return Coord{TileB::Map::row(lane, 0), TileB::Map::col(lane, 0)};
    };
    CHECK(free(stored, 8));
  };
  check(n_major::Config<LargeTiles, 8>{});
  check(n_major::Config<SmallTiles, 8>{});
}
#endif

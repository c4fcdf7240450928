// Predicate masks, bit by bit against the question they answer.

#include <gemm/predicate.hpp>

#include <test/catch.hpp>

#include <cstdint>

namespace {

using gemm::elements_in_range;
using gemm::GuardedAccesses;
using gemm::PredicateMask;

static_assert(sizeof(PredicateMask<1>) == 4);
static_assert(sizeof(PredicateMask<32>) == 4);
static_assert(sizeof(PredicateMask<33>) == 8);
static_assert(!PredicateMask<5>().any());

template <int N>
void check_mask() {
  PredicateMask<N> mask;
  CHECK(!mask.any());
  CHECK(!mask.all());
  for (int i = 0; i < N; ++i) {
    CHECK(!mask[i]);
    mask.set(i);
    CHECK(mask[i]);
    CHECK(mask.any());
    CHECK(mask.all() == (i == N - 1));
  }
  mask.set(N / 2, false);
  CHECK(!mask[N / 2]);
  CHECK(!mask.all());
  for (int i = 0; i < N; ++i) CHECK(mask[i] == (i != N / 2));

  PredicateMask<N> other;
  other.set(N / 2);
  CHECK((mask | other).all());
  CHECK(!(mask & other).any());
  CHECK((mask | other) == (other | mask));
  mask.clear();
  CHECK(!mask.any());
  CHECK(mask == PredicateMask<N>());
}

// Every mask of a grid against element-by-element questions.
template <int kStrided, int kContiguous, int kVector>
void check_grid(const gemm::AccessGrid& grid, int rows, int cols, bool wide) {
  using Accesses = GuardedAccesses<kStrided, kContiguous, kVector>;
  const Accesses got = Accesses::of(grid, rows, cols, wide);
  for (int s = 0; s < kStrided; ++s) {
    for (int c = 0; c < kContiguous; ++c) {
      const int row = grid.row + s * grid.row_step;
      const int col = grid.col + c * grid.col_step;
      int inside = 0;
      for (int v = 0; v < kVector; ++v) inside += row < rows && col + v < cols;
      const int i = s * kContiguous + c;
      CHECK(got.whole[i] == (wide && inside == kVector));
      CHECK(got.part[i] == (inside > 0 && !(wide && inside == kVector)));
    }
  }
}

}  // namespace

TEST_CASE("masks of every width") {
  check_mask<1>();
  check_mask<2>();
  check_mask<31>();
  check_mask<32>();
  check_mask<33>();
  check_mask<63>();
  check_mask<64>();
}

TEST_CASE("how much of a vector is inside") {
  CHECK(elements_in_range(0, 8, 8) == 8);
  CHECK(elements_in_range(1, 8, 8) == 7);
  CHECK(elements_in_range(7, 8, 8) == 1);
  CHECK(elements_in_range(8, 8, 8) == 0);
  CHECK(elements_in_range(9, 8, 8) == 0);
  CHECK(elements_in_range(0, 0, 4) == 0);
  CHECK(elements_in_range(0, 100, 4) == 4);
}

TEST_CASE("accesses at every position of a ragged matrix") {
  for (int rows = 0; rows <= 9; ++rows) {
    for (int cols = 0; cols <= 40; ++cols) {
      for (const bool wide : {true, false}) {
        check_grid<4, 2, 8>({0, 0, 2, 16}, rows, cols, wide);
        check_grid<4, 2, 8>({1, 8, 2, 16}, rows, cols, wide);
        check_grid<1, 1, 4>({3, 4, 0, 0}, rows, cols, wide);
        check_grid<8, 1, 1>({0, 5, 1, 0}, rows, cols, wide);
      }
    }
  }
}

TEST_CASE("a mask at compile time") {
  constexpr auto accesses = GuardedAccesses<2, 2, 8>::of({0, 0, 4, 8}, 5, 12);
  static_assert(accesses.whole[0] && !accesses.part[0]);
  static_assert(!accesses.whole[1] && accesses.part[1]);
  static_assert(accesses.whole[2] && accesses.part[3]);
  static_assert(!GuardedAccesses<2, 2, 8>::of({5, 0, 4, 8}, 5, 12).whole.any());
  CHECK(accesses.whole.bits() == 5);
}

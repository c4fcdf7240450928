// Predicate masks, bit by bit against the question they answer.

#include <gemm/predicate.hpp>

#include <test/catch.hpp>

#include <cstdint>

namespace {

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

TEST_CASE("a mask at compile time") {
  constexpr auto mask = [] {
    PredicateMask<4> out;
    out.set(0);
    out.set(2);
    return out;
  }();
  static_assert(mask[0] && !mask[1] && mask[2] && !mask[3]);
  CHECK(mask.bits() == 5);
}

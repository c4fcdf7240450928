// Chapter 08: who shares with whom in a cluster.

// For the CPU backend, where device functions are plain ones and can be asked.
#include "plan.cuh"

#include <test/catch.hpp>

#include <bit>

using namespace cluster_multicast;

namespace {

template <class Check>
void for_every_cluster(Check check) {
  check(Cluster<1, 1>{});
  check(Cluster<2, 1>{});
  check(Cluster<1, 2>{});
  check(Cluster<2, 2>{});
  check(Cluster<4, 2>{});
  check(Cluster<2, 4>{});
}

bool has(unsigned mask, int rank) {
  return (mask >> rank & 1) != 0;
}

}  // namespace

TEST_CASE("08: masks hold the blocks that want the same tiles") {
  for_every_cluster([]<class C>(C) {
    CAPTURE(C::CM, C::CN);
    for (int rank = 0; rank < C::kSize; ++rank) {
      CHECK(std::popcount(C::row_mask(rank)) == C::CN);
      CHECK(std::popcount(C::col_mask(rank)) == C::CM);
      for (int other = 0; other < C::kSize; ++other) {
        CHECK(has(C::row_mask(rank), other) == (C::row(rank) == C::row(other)));
        CHECK(has(C::col_mask(rank), other) == (C::col(rank) == C::col(other)));
      }
    }
  });
  CHECK(Cluster<2, 2>::row_mask(3) == 0b1100u);
  CHECK(Cluster<2, 2>::col_mask(3) == 0b1010u);
}

// Then as many arrive at a stage as its barrier counts: two blocks are in each other's masks or
// not.
TEST_CASE("08: peers are those of the masks, each once") {
  for_every_cluster([]<class C>(C) {
    CAPTURE(C::CM, C::CN);
    for (int rank = 0; rank < C::kSize; ++rank) {
      unsigned found = 0;
      for (int i = 0; i < C::kPeers; ++i) {
        const int peer = C::peer(rank, i);
        CHECK((peer >= 0 && peer < C::kSize));
        CHECK(!has(found, peer));
        found |= 1u << peer;
      }
      CHECK(found == (C::row_mask(rank) | C::col_mask(rank)));
    }
  });
}

// Chapter 08 beyond the contract: who shares with whom in a cluster, which shares make up a tile,
// and that clusters at the edge leave nothing out.

#include <test/catch.hpp>

#include <bit>
#include <set>
#include <utility>
#include <vector>

// On the CPU backend device functions are plain ones, and can be asked.
#if __has_include(<runtime/current.hpp>)
#include "plan.cuh"

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

struct AllSms : Ways<2, 1> {
  static constexpr bool kWholeRounds = false;
};

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

TEST_CASE("08: partners are those of the masks, each once") {
  for_every_cluster([]<class C>(C) {
    CAPTURE(C::CM, C::CN);
    for (int rank = 0; rank < C::kSize; ++rank) {
      unsigned found = 0;
      for (int i = 0; i < C::kPartners; ++i) {
        const int partner = C::partner(rank, i);
        CHECK((partner >= 0 && partner < C::kSize));
        CHECK(!has(found, partner));
        found |= 1u << partner;
      }
      CHECK(found == (C::row_mask(rank) | C::col_mask(rank)));
    }
  });
}

TEST_CASE("08: as many arrive at a stage as its barrier counts") {
  for_every_cluster([]<class C>(C) {
    std::vector<int> arrivals(C::kSize, 0);
    for (int rank = 0; rank < C::kSize; ++rank) {
      for (int i = 0; i < C::kPartners; ++i) {
        ++arrivals[static_cast<std::size_t>(C::partner(rank, i))];
      }
    }
    for (const int count : arrivals) CHECK(count == C::kPartners);
  });
}

TEST_CASE("08: clusters cover every tile of C once") {
  for (const auto& [tiles_m, tiles_n] :
       {std::pair{1, 1}, std::pair{3, 2}, std::pair{9, 5}, std::pair{21, 7}}) {
    for (const int workers : {1, 3, 66}) {
      const TileSchedule schedule{tiles_m, tiles_n, 4};
      std::set<std::pair<int, int>> owned;
      int count = 0;
      for (int worker = 0; worker < workers; ++worker) {
        const auto range = schedule.of(worker, workers);
        for (int tile = range.first; tile < range.end; tile += range.step) {
          const TilePosition at = schedule.position(tile);
          CHECK((at.row >= 0 && at.row < tiles_m && at.col >= 0 && at.col < tiles_n));
          owned.insert({at.row, at.col});
          ++count;
        }
      }
      CHECK(count == tiles_m * tiles_n);
      CHECK(owned.size() == static_cast<std::size_t>(count));
    }
  }
}

TEST_CASE("08: no more clusters than whole rounds need") {
  using Whole = Config<Tiles<64, 64, 4, 1>, Ways<2, 1>>;
  using All = Config<Tiles<64, 64, 4, 1>, AllSms>;
  CHECK(clusters<Whole>(256, 66) == 64);  // four rounds either way
  CHECK(clusters<All>(256, 66) == 66);
  CHECK(clusters<Whole>(67, 66) == 34);
  CHECK(clusters<Whole>(66, 66) == 66);
  CHECK(clusters<Whole>(5, 66) == 5);
  CHECK(clusters<Whole>(0, 66) == 0);
  for (unsigned tiles = 1; tiles < 500; ++tiles) {
    const unsigned used = clusters<Whole>(tiles, 66);
    CHECK(used <= 66);
    CHECK((tiles + used - 1) / used == (tiles + 65) / 66);  // as many rounds
  }
}
#endif

#include "plan.cuh"

#include <harness/chapter.hpp>

#include <algorithm>
#include <cstdint>

namespace {

using namespace cluster_multicast;

using Wide = Tiles<128, 256, 4, 2>;
using Tall = Tiles<256, 128, 4, 2>;
using Medium = Tiles<128, 128, 6, 1>;
using Small = Tiles<64, 128, 8, 1>;
using Tiny = Tiles<64, 64, 8, 1>;

template <int CM, int CN>
struct EachForItself : Ways<CM, CN> {
  static constexpr bool kMulticast = false;
};
struct AllSms : Ways<2, 1> {
  static constexpr bool kWholeRounds = false;
};
struct ClusterScope : Ways<2, 1> {
  static constexpr gpu::Scope kScope = gpu::Scope::kCluster;
};
template <Store kStore_, Rows kRows_>
struct Stores : Ways<2, 1> {
  static constexpr Store kStore = kStore_;
  static constexpr Rows kRows = kRows_;
};
template <class Ways_>
struct Pairs : Ways_ {
  static constexpr Rows kRows = Rows::kPlain;
};

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return cluster_multicast::prepare<T, C>(operands<T>(problem));
  });
}

// Rows of B dealt out where that is possible.
template <class Tiles, class Ways_>
harness::Plan prepare(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (can_deal(problem)) return plan<Config<Tiles, Ways_>>(problem);
  return plan<Config<Tiles, Pairs<Ways_>>>(problem);
}

// For comparison, where that is possible; other problems run as `pairs` does.
template <class Tiles, class Ways_>
harness::Plan compare(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  if (can_deal(problem)) return plan<Config<Tiles, Ways_>>(problem);
  return plan<Config<Wide, Pairs<Ways<2, 1>>>>(problem);
}

std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// Rounds of tiles that the device needs, an SM for each.
template <class Tiles>
std::int64_t rounds(const gemm::Problem& problem) {
  const std::int64_t tiles = ceil_div(problem.m, Tiles::BM) * ceil_div(problem.n, Tiles::BN);
  return std::max<std::int64_t>(1, ceil_div(tiles, gpu::sm_count()));
}

// What a tiling is worth for a problem: how fast it is with all SMs busy (wide tiles: 100), and how
// busy they are if every SM works as long as the busiest.
template <class Tiles>
double score(const gemm::Problem& problem, double speed) {
  const double tiles = static_cast<double>(ceil_div(problem.m, Tiles::BM)) *
                       static_cast<double>(ceil_div(problem.n, Tiles::BN));
  return speed * tiles / static_cast<double>(rounds<Tiles>(problem) * gpu::sm_count());
}

// The tiling with the best score. Clusters from two rounds of tiles on, and up to 32: with fewer
// their slower start shows, with more blocks alone are faster by what no model here explains.
harness::Plan by_size(const gemm::Problem& problem) {
  gemm::validate(problem, kName);
  const double wide = score<Wide>(problem, 100), medium = score<Medium>(problem, 93),
               small = score<Small>(problem, 85), tiny = score<Tiny>(problem, 50);
  if (wide >= std::max({medium, small, tiny})) {
    const std::int64_t count = rounds<Wide>(problem);
    if (count >= 2 && count <= 32) return prepare<Wide, Ways<2, 1>>(problem);
    return prepare<Wide, Ways<1, 1>>(problem);
  }
  if (medium >= std::max(small, tiny)) return prepare<Medium, Ways<1, 1>>(problem);
  if (small >= tiny) return prepare<Small, Ways<1, 1>>(problem);
  return prepare<Tiny, Ways<1, 1>>(problem);
}

const harness::Registration registration({
    .name = kName,
    .title = "Cluster multicast",
    .idea = "several SMs, one load",
    .ceiling = harness::Ceiling::kWgmma,
    .min_compute_capability = 90,
    .variants =
        {
            {"by_size", "tiles and clusters that suit the size", by_size},
            {"cluster_2x1", "128x256 tiles, two blocks share B", prepare<Wide, Ways<2, 1>>},
            {"cluster_1x2", "128x256 tiles, two blocks share A", compare<Wide, Ways<1, 2>>},
            {"cluster_2x2", "128x256 tiles, four blocks share both", compare<Wide, Ways<2, 2>>},
            {"alone", "128x256 tiles, no cluster", compare<Wide, Ways<1, 1>>},
            {"no_multicast", "clusters of 2x1 in which each block brings all it needs",
             compare<Wide, EachForItself<2, 1>>},
            {"all_sms", "clusters of 2x1, also where fewer would be done as soon",
             compare<Wide, AllSms>},
            {"cluster_scope", "clusters of 2x1, all barriers by the forms of cluster scope",
             compare<Wide, ClusterScope>},
            {"write_through", "clusters of 2x1, stores by __stwt",
             compare<Wide, Stores<Store::kWriteThrough, Rows::kDealt>>},
            {"pairs", "clusters of 2x1, rows of B as they come, stores of two results",
             plan<Config<Wide, Pairs<Ways<2, 1>>>>},
            {"pairs_write_through", "the same by __stwt",
             plan<Config<Wide, Stores<Store::kWriteThrough, Rows::kPlain>>>},
            {"pairs_reordered", "the same, 16 columns at a time, lower rows first",
             plan<Config<Wide, Stores<Store::kReordered, Rows::kPlain>>>},
            {"tall_1x2", "256x128 tiles, two blocks share A", compare<Tall, Ways<1, 2>>},
            {"medium_2x1", "128x128 tiles, two blocks share B", compare<Medium, Ways<2, 1>>},
            {"medium_alone", "128x128 tiles, no cluster", compare<Medium, Ways<1, 1>>},
            {"small_alone", "64x128 tiles, no cluster", compare<Small, Ways<1, 1>>},
        },
    .tma_operands = true,
});

}  // namespace

#include "plan.cuh"

#include <gemm/waves.hpp>
#include <harness/chapter.hpp>

#include <algorithm>

namespace {

using namespace cluster_multicast;

template <Rows kRows>
using Large = Config<128, 256, 4, 2, kRows>;
template <Rows kRows>
using Cluster2x1 = Config<128, 256, 4, 2, kRows, 2, 1>;
template <Rows kRows>
using Medium = Config<128, 128, 6, 1, kRows>;
template <Rows kRows>
using Small = Config<64, 128, 8, 1, kRows>;
template <Rows kRows>
using Tiny = Config<64, 64, 8, 1, kRows>;

using Cluster1x2 = Config<128, 256, 4, 2, Rows::kPermuted, 1, 2>;
using Cluster2x2 = Config<128, 256, 4, 2, Rows::kPermuted, 2, 2>;
using NoMulticast = Config<128, 256, 4, 2, Rows::kPermuted, 2, 1, false>;

template <class C>
harness::Plan plan(const gemm::Problem& problem) {
  return gemm::dispatch_type(problem.type, [&]<class T>() -> harness::Plan {
    return cluster_multicast::prepare<T, C>(gemm::typed_operands<T>(problem));
  });
}

// Rows of B permuted where that is possible.
template <template <Rows> class C>
harness::Plan prepare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C<Rows::kPermuted>>(problem);
  return plan<C<Rows::kPlain>>(problem);
}

// For comparison, where that is possible; other problems run as the default does.
template <class C>
harness::Plan compare(const gemm::Problem& problem) {
  if (can_permute(problem)) return plan<C>(problem);
  return plan<Cluster2x1<Rows::kPlain>>(problem);
}

// The tile that keeps most of the tensor cores busy: how fast a tile is on its SM (large: 1), and
// how many SMs have one. Clusters from five waves of tiles on, and up to 32: with fewer their
// slower start shows, with more blocks without a cluster are faster.
harness::Plan by_size(const gemm::Problem& problem) {
  const int sms = gpu::sm_count();
  const double large = gemm::wave_efficiency(problem, 128, 256, sms),
               medium = 0.93 * gemm::wave_efficiency(problem, 128, 128, sms),
               small = 0.85 * gemm::wave_efficiency(problem, 64, 128, sms),
               tiny = 0.5 * gemm::wave_efficiency(problem, 64, 64, sms);
  if (large >= std::max({medium, small, tiny})) {
    const auto waves = gemm::waves_of(gemm::tiles_of(problem, 128, 256), sms);
    return waves >= 5 && waves <= 32 ? prepare<Cluster2x1>(problem) : prepare<Large>(problem);
  }
  if (medium >= std::max(small, tiny)) return prepare<Medium>(problem);
  return small >= tiny ? prepare<Small>(problem) : prepare<Tiny>(problem);
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
            {"cluster_2x1", "128x256 tiles, two blocks share B", prepare<Cluster2x1>},
            {"cluster_1x2", "128x256 tiles, two blocks share A", compare<Cluster1x2>},
            {"cluster_2x2", "128x256 tiles, four blocks share both", compare<Cluster2x2>},
            {"no_cluster", "128x256 tiles, every block on its own", prepare<Large>},
            {"no_multicast", "clusters of 2x1 in which each block brings all it needs",
             compare<NoMulticast>},
        },
    .tma_operands = true,
});

}  // namespace

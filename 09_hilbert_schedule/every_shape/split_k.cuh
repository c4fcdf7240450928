#pragma once
// Split-K within a cluster: its blocks compute parts of the same tiles' sums, and exchange them
// through distributed shared memory.

#include "kernel_params.cuh"
#include "output.cuh"

#include <core/numeric.hpp>
#include <gpu/cluster.hpp>
#include <gpu/memory.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>

namespace every_shape {

// Which part's block adds up a subtile of a consumer's, and stores it, and which of its subtiles
// that is.
template <class Config>
struct SumsOf {
  static constexpr int kCount = Subtiles<Config>::kCount, kParts = Config::kSplitK;
  static constexpr int part(int subtile) { return subtile * kParts / kCount; }
  static constexpr int first(int part) { return (part * kCount + kParts - 1) / kParts; }
  static constexpr int number(int subtile) { return subtile - first(part(subtile)); }
};
template <class Config>
__device__ bool has_sums(int subtile) {
  return SumsOf<Config>::part(subtile) == Config::Cluster::part(Config::Cluster::rank());
}

// Replaces this block's accumulators, those of the subtiles that it has_sums() of, by the sums of
// all parts, always in the same order, and sends the others to the blocks that add them up. A block
// has one tile. All consumers.
template <class T, class Config>
__device__ void add_parts(typename Subtiles<Config>::Accumulators& accumulators,
                          SharedStorage<T, Config>& smem) {
  using Cluster = typename Config::Cluster;
  using Sums = SumsOf<Config>;
  constexpr int kParts = Config::kSplitK, kFours = Subtiles<Config>::kPairs / 2;
  constexpr int kThreads = Config::kConsumers * 128;
  constexpr int kSubtile = kFours * kThreads * 4, kPart = Config::kMostSums * kSubtile;  // floats
  const int thread = static_cast<int>(threadIdx.x) - 128;
  const int rank = Cluster::rank(), part = Cluster::part(rank);
  float* const sent = smem.partial_sums.sent + thread * 4;
  gpu::Mbarrier& complete = smem.partial_sums.complete;
  // Calls use(accumulators, floats in front of it) for each four of a subtile.
  const auto for_each_four = [&](auto subtile, const auto& use) {
    constexpr int kIndex = decltype(subtile)::value;
    float* const own = Subtiles<Config>::template of<kIndex>(accumulators);
#pragma unroll
    for (int i = 0; i < kFours; ++i)
      use(own + 4 * i, Sums::number(kIndex) * kSubtile + i * kThreads * 4);
  };

  if constexpr (!Cluster::kMulticast) gpu::cluster_wait();  // `complete` is there in all blocks
  for_each_constant<Sums::kCount>([&](auto subtile) {
    constexpr int kTo = Sums::part(decltype(subtile)::value);
    if (kTo == part) return;
    const int sender = (part - kTo + kParts) % kParts - 1;  // of the others, as it counts them
    const auto to = static_cast<unsigned>(Cluster::same_tile(rank, kTo));
    for_each_four(subtile, [&](const float* four, int offset) {
      const core::AlignedVector<float, 4> value{four[0], four[1], four[2], four[3]};
      gpu::store_async(sent + sender * kPart + offset, value, complete, to);
    });
  });
  const int sums = Sums::first(part + 1) - Sums::first(part);
  if (sums == 0) return;
  if (thread == 0) {
    constexpr int kBytes = (kParts - 1) * kSubtile * static_cast<int>(sizeof(float));
    complete.arrive_and_expect(static_cast<unsigned>(sums * kBytes));
  }
  complete.wait(0);
  for_each_constant<Sums::kCount>([&](auto subtile) {
    if (Sums::part(decltype(subtile)::value) != part) return;
    for_each_four(subtile, [&](float* four, int offset) {
#pragma unroll
      for (int i = 0; i < kParts - 1; ++i) {
        const auto other = gpu::load_shared<4>(sent + i * kPart + offset);
#pragma unroll
        for (int j = 0; j < 4; ++j) four[j] += other[j];
      }
    });
  });
}

}  // namespace every_shape

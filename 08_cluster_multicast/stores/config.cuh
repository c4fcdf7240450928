#pragma once
// The lesson's kernel with other stores of C, and with barriers of cluster scope: a configuration
// for it.

#include "../plan.cuh"
#include "scoped_ring.cuh"
#include "write_through.cuh"

namespace stores {

using cluster_multicast::Rows;

inline constexpr const char* kName = "stores";

// Blocks of 128 x BN of C with two consumers, in clusters of 2 x 1. kStoreWidth, by which the
// kernel chooses a store_accumulators: 8 or 2 for the lesson's, or a Store.
template <int BN, int kStages, Rows kRowsB, auto kStoreWidth_,
          gpu::Scope kScope = gpu::Scope::kBlock>
struct Config : cluster_multicast::Config<128, BN, kStages, 2, kRowsB, 2, 1> {
  using Base = cluster_multicast::Config<128, BN, kStages, 2, kRowsB, 2, 1>;
  using Ring = ScopedRing<kStages, 2, typename Base::Cluster, kScope>;
  static constexpr auto kStoreWidth = kStoreWidth_;
};

}  // namespace stores

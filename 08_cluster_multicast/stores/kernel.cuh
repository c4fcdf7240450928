#pragma once
// The lesson's kernel with other stores of C, and with barriers of cluster scope. C = A B^T, A (M,
// K) and B (N, K) with K contiguous, C (M, N) with N contiguous.

#include "../kernel.cuh"
#include "scoped_ring.cuh"
#include "write_through.cuh"

namespace stores {

using cluster_multicast::Output, cluster_multicast::Rows, cluster_multicast::SharedStorage;
using cluster_multicast::TileCoord, cluster_multicast::TileSchedule;

inline constexpr const char* kName = "stores";

// Blocks of BM x BN of C with two consumers, in clusters of 2 x 1.
template <int BM, int BN, int kStages, Rows kRowsB = Rows::kPermuted, Store kStore_ = Store::kPlain,
          gpu::Scope kScope = gpu::Scope::kBlock>
struct Config : cluster_multicast::Config<BM, BN, kStages, 2, kRowsB, 2, 1> {
  using Base = cluster_multicast::Config<BM, BN, kStages, 2, kRowsB, 2, 1>;
  using Ring = ScopedRing<kStages, 2, typename Base::Cluster, kScope>;
  static constexpr Store kStore = kStore_;
  static_assert(Base::kAtoms == 1);
};

// A consumer, as in the lesson up to the stores.
template <class T, class Config>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<T>& c,
                              const TileSchedule& schedule, int k_tiles) {
  constexpr int kStages = Config::kStages;
  const int consumer_row = (gpu::warpgroup_index() - 1) * Config::WM;
  const int clusters = gridDim.x / Config::Cluster::kSize;
  typename Config::Ring::State state;
  float accumulators[Config::BN / 2] = {};  // overwritten by the first MMA of a tile
  for (int tile = blockIdx.x / Config::Cluster::kSize; tile < schedule.tiles(); tile += clusters) {
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++state) {
      smem.ring.wait_full(state);
      const auto& stage = smem.stage[state.index];
      const auto a = Config::TileA::descriptor(stage.a, consumer_row);
      const auto b = Config::TileB::descriptor(stage.b, 0);
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < Config::BK; k += Config::MMA_K) {
        gpu::wgmma<T>(accumulators, a.plus(Config::TileA::step_bytes(k)),
                      b.plus(Config::TileB::step_bytes(k)), k_tile > 0 || k > 0);
      }
      gpu::wgmma_commit();
      gpu::wgmma_wait<1>();
      if (k_tile > 0) smem.ring.release((state.index + kStages - 1) % kStages);  // the one before
    }
    gpu::wgmma_wait<0>();
    if (k_tiles > 0) smem.ring.release((state.index + kStages - 1) % kStages);
    const TileCoord coord = cluster_multicast::block_coord<Config>(schedule, tile);
    const int row = coord.row * Config::BM + consumer_row, col = coord.col * Config::BN;
    if constexpr (Config::kStore == Store::kPlain) {
      cluster_multicast::store_accumulators<Config::kStoreWidth>(c, accumulators, row, col);
    } else {
      store_through<Config::kStoreWidth, Config::kStore>(c, accumulators, row, col);
    }
  }
}

// Warpgroup 0 produces, the others consume. The maps: A (M, K) and B (N, K), boxes as their tiles
// have them.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    gemm_kernel(const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Output<T> c,
                const TileSchedule schedule, const int k_tiles) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  if (threadIdx.x == 0) smem.ring.init();
  gpu::cluster_sync();  // the barriers of all blocks may be waited for and arrived at

  if (gpu::warpgroup_index() == 0) {
    gpu::shrink_registers<Config::kProducerRegisters>();
    if (gpu::warp_in_warpgroup() == 0 && gpu::elect_one()) {
      cluster_multicast::load_tiles<T, Config>(smem, map_a, map_b, schedule, k_tiles);
    }
  } else {
    gpu::grow_registers<Config::kConsumerRegisters>();
    stores::compute_tiles<T, Config>(smem, c, schedule, k_tiles);
  }
  gpu::cluster_sync();  // a peer may still arrive at this block's barriers
}

}  // namespace stores

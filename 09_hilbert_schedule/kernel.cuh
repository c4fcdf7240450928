#pragma once
// Chapter 09. A tile is stored while the next one is multiplied, and the tiles are walked along a
// Hilbert curve, so that the L2 has most of what they need. C = A B^T, A (M, K) and B (N, K) with K
// contiguous, C (M, N) with N contiguous.

#include "cluster.cuh"
#include "deferred_store.cuh"
#include "operand_tile.cuh"
#include "ring.cuh"
#include "schedule.cuh"
#include "store.cuh"

#include <gemm/operands.hpp>
#include <gpu/cluster.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>
#include <type_traits>

namespace hilbert_schedule {

inline constexpr const char* kName = "09_hilbert_schedule";

// How a tile is stored: by the threads that hold it, as in chapter 08; through shared memory by TMA
// before the next one begins; or so while the next one is multiplied.
enum class Store { kDirect, kImmediate, kDeferred };

// A block computes BM x BN of C, each of its consumer warpgroups WM rows of it. A cluster is CM x
// CN blocks on as many neighbouring tiles. Without multicast each of them brings all that it needs.
template <int BM_, int BN_, int kStages_, int kConsumers_, Rows kRowsB = Rows::kPermuted,
          Store kStore_ = Store::kDirect, int CM_ = 1, int CN_ = 1, bool kMulticast = true>
struct Config {
  static constexpr int BM = BM_, BN = BN_, BK = 64, kStages = kStages_;
  static constexpr int kConsumers = kConsumers_, CM = CM_, CN = CN_;
  static constexpr Store kStore = kStore_;
  static constexpr bool kListed = kStore != Store::kDirect;  // the order of tiles
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int WM = BM / kConsumers, kAtoms = WM / MMA_M;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  static_assert(BM % (kConsumers * MMA_M) == 0 && BK % MMA_K == 0);

  using Cluster = hilbert_schedule::Cluster<CM, CN>;
  using Sharing = std::conditional_t<kMulticast, Cluster, hilbert_schedule::Cluster<1, 1>>;
  using TileA = OperandTile<BM, Rows::kPlain, Sharing::CN>;
  using TileB = OperandTile<BN, kRowsB, Sharing::CM>;
  using Ring = hilbert_schedule::Ring<kStages, kConsumers, Sharing>;
  // Neighbouring elements of a row of C that a thread has.
  static constexpr int kStoreWidth = kRowsB == Rows::kPermuted ? 8 : 2;
  // k-tiles whose MMAs may still run when those of the next begin.
  static constexpr int kMmasInFlight = kStore == Store::kDirect ? 1 : 0;
  // setmaxnreg: the producer needs next to no registers, a consumer needs more than its share.
  static constexpr int kProducerRegisters = 40, kConsumerRegisters = 232;
};

template <class T, class Config>
struct SharedStorage {
  struct Stage {  // swizzles repeat every 1024 bytes, and tiles begin where they do
    alignas(1024) T a[Config::TileA::kSize];
    alignas(1024) T b[Config::TileB::kSize];
  };
  Stage stage[Config::kStages];
  alignas(1024) typename DeferredStore<T, Config::BN>::Buffers c[Config::kConsumers];
  typename Config::Ring ring;
};

// The producer: one thread. Fills stage after stage, its slices of each, as long as the consumers
// empty them.
template <class T, class Config>
__device__ void load_tiles(SharedStorage<T, Config>& smem, const gpu::TensorMap& map_a,
                           const gpu::TensorMap& map_b, const TileSchedule& schedule, int k_tiles) {
  constexpr unsigned kStageBytes = (Config::TileA::kSize + Config::TileB::kSize) * sizeof(T);
  using Sharing = typename Config::Sharing;
  const int rank = Sharing::rank(), clusters = gridDim.x / Config::Cluster::kSize;
  typename Config::Ring::State state;
  bool backwards = false;
  for (int tile = blockIdx.x / Config::Cluster::kSize; tile < schedule.tiles(); tile += clusters) {
    const TileCoord coord = block_coord<Config>(schedule, tile);
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++state) {
      const int k = (backwards ? k_tiles - 1 - k_tile : k_tile) * Config::BK;
      smem.ring.wait_empty(state);
      gpu::Mbarrier& full = smem.ring.arrive_and_expect_tx(state, kStageBytes);
      auto& stage = smem.stage[state.index];
      Config::TileA::load(stage.a, map_a, coord.row * Config::BM, k, full, Sharing::col(rank),
                          Sharing::row_mask(rank));
      Config::TileB::load(stage.b, map_b, coord.col * Config::BN, k, full, Sharing::row(rank),
                          Sharing::col_mask(rank));
    }
    // What the blocks read last is still in the L2, and their next tiles, in part of the same rows
    // or columns, begin with it.
    backwards = schedule.reverse_k && !backwards;
  }
}

// A consumer: a warpgroup. Multiplies stage after stage into the accumulators of its rows, and
// releases a stage once the tensor cores have read it.
template <class T, class Config>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<T>& c,
                              const gpu::TensorMap& map_c, const TileSchedule& schedule,
                              int k_tiles) {
  constexpr int kStages = Config::kStages, kMmasInFlight = Config::kMmasInFlight;
  const int consumer_row = (gpu::warpgroup_index() - 1) * Config::WM;
  const int clusters = gridDim.x / Config::Cluster::kSize;
  typename Config::Ring::State state;
  // The first MMAs of a tile overwrite them. Without k-tiles they stay 0.
  float accumulators[Config::kAtoms][Config::BN / 2] = {};
  DeferredStore<T, Config::BN> deferred;
  auto& smem_c = smem.c[gpu::warpgroup_index() - 1];
  for (int tile = blockIdx.x / Config::Cluster::kSize; tile < schedule.tiles(); tile += clusters) {
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++state) {
      smem.ring.wait_full(state);
      const auto& stage = smem.stage[state.index];
      const auto a = Config::TileA::descriptor(stage.a, consumer_row);
      const auto b = Config::TileB::descriptor(stage.b, 0);
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < Config::BK; k += Config::MMA_K) {
#pragma unroll
        for (int i = 0; i < Config::kAtoms; ++i) {
          constexpr int kAtomBytes = Config::MMA_M * 128;
          gpu::wgmma<T>(accumulators[i], a.plus(i * kAtomBytes + Config::TileA::step_bytes(k)),
                        b.plus(Config::TileB::step_bytes(k)), k_tile > 0 || k > 0);
        }
      }
      gpu::wgmma_commit();
      if constexpr (Config::kStore == Store::kDeferred) deferred.store_next(map_c, smem_c);
      gpu::wgmma_wait<kMmasInFlight>();
      // What has been read: this stage, or with MMAs in flight the one before.
      if (k_tile >= kMmasInFlight) {
        smem.ring.release((state.index + kStages - kMmasInFlight) % kStages);
      }
    }
    gpu::wgmma_wait<0>();
    if (kMmasInFlight > 0 && k_tiles > 0) {
      smem.ring.release((state.index + kStages - 1) % kStages);
    }
    const TileCoord coord = block_coord<Config>(schedule, tile);
    const int row = coord.row * Config::BM + consumer_row, col = coord.col * Config::BN;
    if constexpr (Config::kStore == Store::kDirect) {
#pragma unroll
      for (int i = 0; i < Config::kAtoms; ++i) {
        store_accumulators<Config::kStoreWidth>(c, accumulators[i], row + i * Config::MMA_M, col);
      }
    } else {
      static_assert(Config::kAtoms == 1 && Config::BN % 128 == 0);  // both buffers in turn
      deferred.store_rest(map_c, smem_c);  // of the tile before, where K has fewer k-tiles
      deferred.convert(accumulators[0], row, col);
      if constexpr (Config::kStore == Store::kImmediate) deferred.store_rest(map_c, smem_c);
    }
  }
  if constexpr (Config::kStore != Store::kDirect) deferred.finish(map_c, smem_c);
}

// Warpgroup 0 produces, the others consume. The maps: A (M, K) and B (N, K), boxes as their tiles
// have them; C (M, N), box (64, 64), where TMA stores it.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    gemm_kernel(const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Output<T> c,
                const TileSchedule schedule, const int k_tiles,
                const __grid_constant__ gpu::TensorMap map_c) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  if (threadIdx.x == 0) smem.ring.init();
  if (threadIdx.x == 128) {  // a consumer's: the producer's first loads find the maps fetched
    gpu::prefetch_tensor_map(map_a);
    gpu::prefetch_tensor_map(map_b);
  }
  // Of a cluster all threads wait: the barriers of all its blocks are arrived at.
  constexpr bool kAlone = Config::Cluster::kSize == 1;
  if constexpr (!kAlone) gpu::cluster_sync();

  if (gpu::warpgroup_index() == 0) {
    gpu::sync_warp();
    if (kAlone) gpu::barrier_arrive(0, Config::kThreads);  // it has initialised the barriers
    gpu::shrink_registers<Config::kProducerRegisters>();
    if (gpu::warp_in_warpgroup() == 0 && gpu::elect_one()) {
      load_tiles<T, Config>(smem, map_a, map_b, schedule, k_tiles);
    }
  } else {
    if (kAlone) gpu::barrier_sync(0, Config::kThreads);  // now they may be waited for
    gpu::grow_registers<Config::kConsumerRegisters>();
    compute_tiles<T, Config>(smem, c, map_c, schedule, k_tiles);
  }
  // A peer may still arrive at this block's barriers: none leaves before all are done.
  if constexpr (!kAlone) gpu::cluster_sync();
}

}  // namespace hilbert_schedule

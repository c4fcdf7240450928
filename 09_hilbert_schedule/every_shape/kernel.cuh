#pragma once
// The product: chapter 09's kernel for problems of every shape. A warp-specialised, persistent
// kernel, with every way of going about a problem that has paid for some shape as a configuration
// (config.cuh) or as parameters (kernel_params.cuh). C = epilogue(A B^T), A (M, K) and B (N, K)
// with K contiguous or else M, N, C (M, N) with N contiguous.

#include "consumer.cuh"
#include "producer.cuh"

#include <gemm/operands.hpp>
#include <gpu/cluster.hpp>
#include <gpu/grid.hpp>
#include <gpu/launch.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

namespace every_shape {

inline constexpr const char* kName = "every_shape";

// Warpgroup 0 produces, the others consume. The maps: A (M, K) and B (N, K), boxes as their tiles
// have them.
template <class T, class TC, class Config, class Op>
__global__ void __launch_bounds__(Config::kThreads, 1)
    gemm_kernel(const KernelParams params, const __grid_constant__ Output<TC> c,
                const __grid_constant__ typename Config::TileA::Map map_a,
                const __grid_constant__ typename Config::TileB::Map map_b, const Op op) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  if (threadIdx.x == 32) {  // the first loads need not wait for them
    gpu::prefetch_tensor_map(map_a);
    gpu::prefetch_tensor_map(map_b);
    if constexpr (Config::TileB::kTail) gpu::prefetch_tensor_map(map_b.shorter);
  }
  if (threadIdx.x == 0) {
    if constexpr (Config::kSplitK > 1) smem.partial_sums.complete.init(1);
    if constexpr (Config::kPingPong) {
      for (gpu::Mbarrier& turn : smem.turns.of) turn.init(4);  // arrivals: each warp's
    }
    smem.ring.init();
  }
  // The producer has three warps beside it that are without work. Without multicast they need not
  // sync with anybody: they go where it is about to go, with nothing to load, and instructions that
  // they have fetched are there for it.
  constexpr bool kAlone = !Config::Cluster::kMulticast;
  const bool instruction_prefetch = kAlone && threadIdx.x >= 32 && threadIdx.x < 128;
  // After this the barriers of all blocks may be waited for and arrived at. What a block loads for
  // itself need not wait for its peer CTAs.
  if constexpr (kAlone) {
    if constexpr (Config::kSplitK > 1) gpu::cluster_arrive_relaxed();  // add_parts() waits
    if (!instruction_prefetch) gpu::barrier_sync(0, Config::kThreads - 96);
  } else {
    gpu::cluster_arrive_relaxed();  // init() has fenced
    if (threadIdx.x < 32) {
      if (gpu::elect_one()) load_first_k_tile<T, Config>(smem, map_a, map_b, params);
      gpu::sync_warp();
    }
    gpu::cluster_wait();
  }

  constexpr bool kMoves = kMovesRegisters<Config, Op>;
  if (gpu::warpgroup_index() == 0) {
    if constexpr (kMoves) gpu::shrink_registers<Config::kProducerRegisters>();
    if ((instruction_prefetch || threadIdx.x < 32) && gpu::elect_one()) {
      const int k_tiles = instruction_prefetch ? 0 : params.k_tiles;
      constexpr bool kMayTake = kMayTakeTileFromGrid<Config>;
      if (kMayTake && params.schedule.tile_from_grid) {
        load_tiles<T, Config, kMayTake>(smem, map_a, map_b, params, k_tiles);
      } else {
        load_tiles<T, Config, false>(smem, map_a, map_b, params, k_tiles);
      }
      // Not sooner: the next grid's blocks would settle on SMs that are idle now, or two on one.
      if (!instruction_prefetch) gpu::launch_dependents();
      if (instruction_prefetch && threadIdx.x < 64 && params.prefetch_k_tiles > 0) [[unlikely]] {
        prefetch_first_k_tiles<Config>(map_a, map_b, params);
      }
    }
  } else {
    if constexpr (kMoves) gpu::grow_registers<Config::kConsumerRegisters>();
    gpu::wait_for_prior_grid();
    compute_tiles<T, TC, Config>(smem, c, op, params, gpu::warpgroup_index() - 1);
  }
}

}  // namespace every_shape

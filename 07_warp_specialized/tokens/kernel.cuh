#pragma once
// The lesson's kernel with what it can have another way: barriers by token, tiles of 128 columns by
// one instruction of TMA, contiguous ranges of tiles. C = A B^T, A (M, K) and B (N, K) with K
// contiguous, C (M, N) with N contiguous.

#include "../plan.cuh"
#include "range_schedule.cuh"
#include "token_ring.cuh"
#include "wide_tile.cuh"

#include <gemm/launch_plan.hpp>

#include <type_traits>

namespace tokens {

using warp_specialized::OperandTile, warp_specialized::Output, warp_specialized::Rows;
using warp_specialized::SharedStorage, warp_specialized::TileCoord;

inline constexpr const char* kName = "tokens";

// A block computes BM x BN of C, each of its two consumer warpgroups 64 rows of it.
template <class TileA_, class TileB_, int kStages_, bool kTokens = false,
          Order kOrder = Order::kGrouped>
struct Config {
  using TileA = TileA_;
  using TileB = TileB_;
  static constexpr int BK = TileA::BK, BM = TileA::kSize / BK, BN = TileB::kSize / BK;
  static constexpr int kStages = kStages_, kConsumers = 2;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  static_assert(BM == kConsumers * MMA_M && TileB::BK == BK);

  using Ring = std::conditional_t<kTokens, TokenRing<kStages, kConsumers>,
                                  warp_specialized::Ring<kStages, kConsumers>>;
  using Schedule = RangeSchedule<kOrder>;
  // Neighbouring elements of a row of C that a thread has.
  static constexpr int kStoreWidth =
      std::is_same_v<TileB, OperandTile<BN, Rows::kPermuted>> ? 8 : 2;
  static constexpr int kProducerRegisters = 40, kConsumerRegisters = 232;
};

// The producer: one thread. Fills stage after stage, as long as the consumers empty them.
template <class T, class Config>
__device__ void load_tiles(SharedStorage<T, Config>& smem, const gpu::TensorMap& map_a,
                           const gpu::TensorMap& map_b, const typename Config::Schedule& schedule,
                           int k_tiles) {
  constexpr unsigned kStageBytes = (Config::TileA::kSize + Config::TileB::kSize) * sizeof(T);
  typename Config::Ring::State state;
  const auto range = schedule.of(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  for (int tile = range.first; tile < range.end; tile += range.step) {
    const TileCoord coord = schedule.coord(tile);
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++state) {
      smem.ring.wait_empty(state);
      gpu::Mbarrier& full = smem.ring.arrive_and_expect_tx(state, kStageBytes);
      auto& stage = smem.stage[state.index];
      Config::TileA::load(stage.a, map_a, coord.row * Config::BM, k_tile * Config::BK, full);
      Config::TileB::load(stage.b, map_b, coord.col * Config::BN, k_tile * Config::BK, full);
    }
  }
}

// A consumer: a warpgroup. Multiplies stage after stage into the accumulators of its rows, and
// releases a stage once the tensor cores have read it.
template <class T, class Config>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<T>& c,
                              const typename Config::Schedule& schedule, int k_tiles) {
  constexpr int kStages = Config::kStages;
  const int consumer_row = (gpu::warpgroup_index() - 1) * Config::MMA_M;
  typename Config::Ring::State state;
  float accumulators[Config::BN / 2] = {};  // overwritten by the first MMA of a tile
  if constexpr (requires { smem.ring.start_consumer(); }) smem.ring.start_consumer();
  const auto range = schedule.of(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  for (int tile = range.first; tile < range.end; tile += range.step) {
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
    const TileCoord coord = schedule.coord(tile);
    warp_specialized::store_accumulators<Config::kStoreWidth>(
        c, accumulators, coord.row * Config::BM + consumer_row, coord.col * Config::BN);
  }
}

// Warpgroup 0 produces, the others consume. The maps: A (M, K) and B (N, K), boxes as their tiles
// have them.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    gemm_kernel(const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Output<T> c,
                const typename Config::Schedule schedule, const int k_tiles) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  if (threadIdx.x == 0) smem.ring.init();
  __syncthreads();  // the barriers may be waited for

  if (gpu::warpgroup_index() == 0) {
    gpu::shrink_registers<Config::kProducerRegisters>();
    if (gpu::warp_in_warpgroup() == 0 && gpu::elect_one()) {
      tokens::load_tiles<T, Config>(smem, map_a, map_b, schedule, k_tiles);
    }
  } else {
    gpu::grow_registers<Config::kConsumerRegisters>();
    tokens::compute_tiles<T, Config>(smem, c, schedule, k_tiles);
  }
}

// Tensor maps belong to pointers and sizes, so they are made here, and reach the kernel by value.
template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  const unsigned tiles = gemm::tile_count(g.m, g.n, Config::BM, Config::BN, kName);
  const unsigned blocks = std::min(tiles, static_cast<unsigned>(gpu::sm_count()));
  const Output<T> c{g.c, g.ldc, g.m, g.n, gemm::widest_access(g.c, g.ldc, 0)};
  const typename Config::Schedule schedule{gemm::ceil_div(g.m, Config::BM),
                                           gemm::ceil_div(g.n, Config::BN)};
  gpu::TensorMap map_a = {}, map_b = {};
  if (tiles > 0 && g.k > 0) {  // there is no map of nothing
    map_a = Config::TileA::map(g.a, g.lda, g.m, g.k);
    map_b = Config::TileB::map(g.b, g.ldb, g.n, g.k);
  }
  return gemm::launch_plan(gemm_kernel<T, Config>,
                           {.grid = dim3(blocks),
                            .block = dim3(Config::kThreads),
                            .dynamic_smem = sizeof(SharedStorage<T, Config>)},
                           map_a, map_b, c, schedule, gemm::ceil_div(g.k, Config::BK));
}

}  // namespace tokens

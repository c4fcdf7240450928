#pragma once
// Chapter 06. One thread asks TMA for tiles of A and B, several stages ahead; wgmma multiplies them
// where they lie, in shared memory, and accumulates in registers. C = A B^T, A (M, K) and B (N, K)
// with K contiguous, C (M, N) with N contiguous.

#include "operand_tile.cuh"
#include "ring.cuh"
#include "schedule.cuh"
#include "store.cuh"

#include <gemm/operands.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>

namespace wgmma_tma {

inline constexpr const char* kName = "06_wgmma_tma";

// A block computes BM x BN of C, each of its warpgroups WM = 64 rows of it.
template <int BM_, int BN_, int kStages_, int kBlocksPerSm_ = 1, Rows kRowsB = Rows::kPermuted>
struct Config {
  static constexpr int BM = BM_, BN = BN_, BK = 64, kStages = kStages_;
  static constexpr int kBlocksPerSm = kBlocksPerSm_;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int kThreads = BM / MMA_M * 128;
  static_assert(BM % MMA_M == 0 && BK % MMA_K == 0);

  using TileA = OperandTile<BM, Rows::kPlain>;
  using TileB = OperandTile<BN, kRowsB>;
  // Neighbouring elements of a row of C that a thread has.
  static constexpr int kStoreWidth = kRowsB == Rows::kPermuted ? 8 : 2;
  // k-tiles whose MMAs may still run when those of the next begin, so that a stage is free one
  // k-tile later; and k-tiles that are loaded ahead.
  static constexpr int kMmasInFlight = kStages > 1 ? 1 : 0, kAhead = kStages - kMmasInFlight;
};

template <class T, class Config>
struct SharedStorage {
  struct Stage {  // swizzles repeat every 1024 bytes, and tiles begin where they do
    alignas(1024) T a[Config::TileA::kSize];
    alignas(1024) T b[Config::TileB::kSize];
  };
  Stage stage[Config::kStages];
  gpu::Mbarrier full[Config::kStages];  // one arrival, and the bytes of a stage
};

// One block for each tile of C. The maps: A (M, K) and B (N, K), boxes as their tiles have them.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    gemm_kernel(const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Output<T> c,
                const int k_tiles) {
  constexpr unsigned kStageBytes = (Config::TileA::kSize + Config::TileB::kSize) * sizeof(T);
  constexpr int kAhead = Config::kAhead;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const TileCoord coord =
      tile_coord<8>(static_cast<int>(blockIdx.x), gemm::ceil_div(c.m, Config::BM),
                    gemm::ceil_div(c.n, Config::BN));

  const bool loads = threadIdx.x == 0;
  PipelineState<Config::kStages> to_load;
  const auto load = [&](int k_tile) {
    gpu::Mbarrier& full = smem.full[to_load.index];
    auto& stage = smem.stage[to_load.index];
    full.arrive_and_expect(kStageBytes);
    Config::TileA::load(stage.a, map_a, coord.row * Config::BM, k_tile * Config::BK, full);
    Config::TileB::load(stage.b, map_b, coord.col * Config::BN, k_tile * Config::BK, full);
    ++to_load;
  };
  if (loads) {
    for (gpu::Mbarrier& full : smem.full) full.init(1);
    gpu::fence_mbarrier_init();
    for (int k_tile = 0; k_tile < kAhead && k_tile < k_tiles; ++k_tile) load(k_tile);
  }
  __syncthreads();  // the barriers may be waited for

  const int warpgroup_row = gpu::warpgroup_index() * Config::MMA_M;
  float accumulators[Config::BN / 2] = {};
  if (k_tiles > 0) {
    PipelineState<Config::kStages> state;
    int k_tile = 0;
    do {
      smem.full[state.index].wait(state.phase);
      const auto& stage = smem.stage[state.index];
      const auto a = Config::TileA::descriptor(stage.a, warpgroup_row);
      const auto b = Config::TileB::descriptor(stage.b, 0);
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < Config::BK; k += Config::MMA_K) {
        gpu::wgmma<T>(accumulators, a.plus(Config::TileA::step_bytes(k)),
                      b.plus(Config::TileB::step_bytes(k)));
      }
      gpu::wgmma_commit();
      gpu::wgmma_wait<Config::kMmasInFlight>();  // this warpgroup has read the k-tile before,
      __syncthreads();                           // now all have: its stage is free
      if (loads && k_tile + kAhead < k_tiles) load(k_tile + kAhead);
      ++state;
    } while (++k_tile < k_tiles);
    gpu::wgmma_wait<0>();
  }
  store_accumulators<Config::kStoreWidth>(c, accumulators, coord.row * Config::BM + warpgroup_row,
                                          coord.col * Config::BN);
}

}  // namespace wgmma_tma

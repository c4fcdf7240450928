#pragma once
// The lesson's kernel for operands of either major and tiles of every swizzle. C = A B^T, A (M, K)
// and B (N, K), each with K or with M (N) contiguous, C (M, N) with N contiguous.

#include "operand_tile.cuh"

#include "../plan.cuh"

namespace wgmma_lab {

using wgmma_tma::Output, wgmma_tma::PipelineState, wgmma_tma::SharedStorage, wgmma_tma::TileCoord;

inline constexpr const char* kName = "lab";

// A block computes BM x BN of C, each of its warpgroups 64 rows of it.
template <SwizzleMode kSwizzle, Major kMajorA = Major::kK, Major kMajorB = Major::kK>
struct Config {
  static constexpr int BM = 128, BN = 256, BK = 64, kStages = 4;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int kThreads = BM / MMA_M * 128;

  using TileA = OperandTile<BM, BK, kMajorA, kSwizzle>;
  using TileB = OperandTile<BN, BK, kMajorB, kSwizzle>;
  static constexpr int kMmasInFlight = 1, kAhead = kStages - kMmasInFlight;
};

// One block for each tile of C. The maps: A (M, K) and B (N, K), boxes as their tiles have them.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    gemm_kernel(const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Output<T> c,
                const int k_tiles) {
  using TileA = typename Config::TileA;
  using TileB = typename Config::TileB;
  constexpr unsigned kStageBytes = (TileA::kSize + TileB::kSize) * sizeof(T);
  constexpr int kAhead = Config::kAhead;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const TileCoord coord =
      wgmma_tma::tile_coord<8>(static_cast<int>(blockIdx.x), gemm::ceil_div(c.m, Config::BM),
                               gemm::ceil_div(c.n, Config::BN));

  const bool loads = threadIdx.x == 0;
  PipelineState<Config::kStages> to_load;
  const auto load = [&](int k_tile) {
    gpu::Mbarrier& full = smem.full[to_load.index];
    auto& stage = smem.stage[to_load.index];
    full.arrive_and_expect(kStageBytes);
    TileA::load(stage.a, map_a, coord.row * Config::BM, k_tile * Config::BK, full);
    TileB::load(stage.b, map_b, coord.col * Config::BN, k_tile * Config::BK, full);
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
      const auto a = TileA::descriptor(stage.a, warpgroup_row);
      const auto b = TileB::descriptor(stage.b, 0);
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < Config::BK; k += Config::MMA_K) {
        gpu::wgmma<T, TileA::kMajor, TileB::kMajor>(accumulators, a.plus(TileA::step_bytes(k)),
                                                    b.plus(TileB::step_bytes(k)));
      }
      gpu::wgmma_commit();
      gpu::wgmma_wait<Config::kMmasInFlight>();  // this warpgroup has read the k-tile before,
      __syncthreads();                           // now all have: its stage is free
      if (loads && k_tile + kAhead < k_tiles) load(k_tile + kAhead);
      ++state;
    } while (++k_tile < k_tiles);
    gpu::wgmma_wait<0>();
  }
  wgmma_tma::store_accumulators<2>(c, accumulators, coord.row * Config::BM + warpgroup_row,
                                   coord.col * Config::BN);
}

template <class T, class Config>
auto prepare(const gemm::Operands<T>& g) {
  return wgmma_tma::plan_tiles<Config>(gemm_kernel<T, Config>, g, kName);
}

}  // namespace wgmma_lab

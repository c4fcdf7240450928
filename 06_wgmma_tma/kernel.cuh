#pragma once
// Chapter 06. One thread asks TMA for tiles of A and B, several stages ahead; wgmma multiplies them
// where they lie, in shared memory, and leaves the sums in registers. C = A B^T, A (M, K) and B
// (N, K), each with K or with M (N) contiguous, C (M, N) with N contiguous.

#include "operand_tile.cuh"

#include <gemm/operands.hpp>
#include <gpu/convert.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

#include <algorithm>
#include <cstdint>

namespace wgmma_tma {

inline constexpr const char* kName = "06_wgmma_tma";

// A block computes BM x BN of C, each of its warpgroups 64 x BN: one wgmma per 16 columns of K.
// kStages: tiles of A and B in shared memory. kBlocksPerSm: how many blocks share an SM.
template <int BM_, int BN_, int kStages_, int kBlocksPerSm_ = 1,
          SwizzleMode kSwizzle = SwizzleMode::k128B, Major kMajorA_ = Major::kK,
          Major kMajorB_ = Major::kK>
struct Config {
  static constexpr int BM = BM_, BN = BN_, BK = 64;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int kStages = kStages_, kBlocksPerSm = kBlocksPerSm_, kGroupRows = 8;
  static constexpr Major kMajorA = kMajorA_, kMajorB = kMajorB_;
  static constexpr int kThreads = BM / MMA_M * 128;
  static_assert(BM % MMA_M == 0 && BK % MMA_K == 0);

  using TileA = OperandTile<BM, BK, kMajorA, kSwizzle>;
  using TileB = OperandTile<BN, BK, kMajorB, kSwizzle>;

  // Tiles that are under way or waiting while one is multiplied. With several stages the
  // multiplication of one tile may still run when that of the next begins, so that its stage is
  // free one step later.
  static constexpr int kInFlight = kStages > 1 ? 1 : 0;
  static constexpr int kAhead = kStages - kInFlight;

  template <Major kA, Major kB>
  using WithMajors = Config<BM, BN, kStages, kBlocksPerSm, kSwizzle, kA, kB>;
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

// A place in the ring of stages, and the parity of the turn.
template <int kStages>
struct Slot {
  int index = 0;
  unsigned parity = 0;

  __device__ Slot& operator++() {
    if (++index == kStages) index = 0, parity ^= 1;
    return *this;
  }
};

// Tiles of C in groups of kGroupRows rows, column by column within a group: blocks that run at the
// same time share rows of A and of B while these are in the L2.
struct TilePosition {
  int row, col;
};
template <int kGroupRows>
__device__ TilePosition tile_position(int tile, int tiles_m, int tiles_n) {
  const int per_group = kGroupRows * tiles_n;
  const int first_row = tile / per_group * kGroupRows;
  const int rows = std::min(kGroupRows, tiles_m - first_row);
  return {first_row + tile % per_group % rows, tile % per_group / rows};
}

// Where results go: (m, n), n contiguous, rows `leading_dimension` apart. `pairs`: addresses and
// rows allow stores of two.
template <class T>
struct Output {
  T* data;
  int64_t leading_dimension;
  int m, n;
  bool pairs;
};

// Rounds and stores a warpgroup's 64 x N sums, from where wgmma left them: each thread has pairs,
// eight columns apart, of two rows.
template <class T, int kRegisters>
__device__ void store_sums(const Output<T>& c, const float (&sum)[kRegisters], int first_row,
                           int first_col) {
  constexpr int N = 2 * kRegisters;
  const int lane = gpu::lane_index();
  const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int col = first_col + lane % 4 * 2;
  const bool whole = c.pairs && first_col + N <= c.n;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (row + 8 * half >= c.m) break;
    T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
    if (whole) {
#pragma unroll
      for (int j = 0; j < N / 8; ++j) {
        const float* const pair = sum + 4 * j + 2 * half;
        gpu::store_global(target + 8 * j, gpu::from_float<T>(pair[0], pair[1]));
      }
    } else {
#pragma unroll
      for (int j = 0; j < N / 8; ++j) {
        const float* const pair = sum + 4 * j + 2 * half;
        if (col + 8 * j < c.n) target[8 * j] = gpu::from_float<T>(pair[0]);
        if (col + 8 * j + 1 < c.n) target[8 * j + 1] = gpu::from_float<T>(pair[1]);
      }
    }
  }
}

// One block per tile of C. The maps: A (M, K) and B (N, K), boxes as their tiles have them.
template <class T, class Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerSm)
    gemm_kernel(const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Output<T> c,
                const int k_tiles) {
  using TileA = typename Config::TileA;
  using TileB = typename Config::TileB;
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  constexpr int kStages = Config::kStages, kAhead = Config::kAhead;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const TilePosition position = tile_position<Config::kGroupRows>(
      static_cast<int>(blockIdx.x), gemm::ceil_div(c.m, BM), gemm::ceil_div(c.n, BN));
  const int block_row = position.row * BM, block_col = position.col * BN;

  const bool loader = threadIdx.x == 0;
  Slot<kStages> to_load;
  const auto load = [&](int k_tile) {
    gpu::Mbarrier& full = smem.full[to_load.index];
    auto& stage = smem.stage[to_load.index];
    full.arrive_and_expect((TileA::kSize + TileB::kSize) * sizeof(T));
    TileA::load(stage.a, map_a, block_row, k_tile * BK, full);
    TileB::load(stage.b, map_b, block_col, k_tile * BK, full);
    ++to_load;
  };
  if (loader) {
    for (gpu::Mbarrier& full : smem.full) full.init(1);
    gpu::fence_mbarrier_init();
    for (int k_tile = 0; k_tile < kAhead && k_tile < k_tiles; ++k_tile) load(k_tile);
  }
  __syncthreads();  // the barriers may be waited for

  const int warpgroup_row = gpu::warpgroup_index() * Config::MMA_M;
  float sum[BN / 2] = {};
  if (k_tiles > 0) {
    Slot<kStages> slot;
    int k_tile = 0;
    do {
      smem.full[slot.index].wait(slot.parity);
      const auto a = TileA::descriptor(smem.stage[slot.index].a, warpgroup_row);
      const auto b = TileB::descriptor(smem.stage[slot.index].b, 0);
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < BK; k += Config::MMA_K) {
        gpu::wgmma<T, TileA::kMajor, TileB::kMajor>(sum, a.plus(TileA::step_bytes(k)),
                                                    b.plus(TileB::step_bytes(k)));
      }
      gpu::wgmma_commit();
      gpu::wgmma_wait<Config::kInFlight>();  // this warpgroup has read the tile before,
      __syncthreads();                       // now all have: its stage is free
      if (loader && k_tile + kAhead < k_tiles) load(k_tile + kAhead);
      ++slot;
    } while (++k_tile < k_tiles);
    gpu::wgmma_wait<0>();
  }
  store_sums(c, sum, block_row + warpgroup_row, block_col);
}

}  // namespace wgmma_tma

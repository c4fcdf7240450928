#pragma once
// Chapter 08. Blocks that want the same rows of A, or of B, form a cluster, and each brings a share
// of them to all. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N) with N contiguous.

#include "cluster.cuh"
#include "operand_tile.cuh"
#include "ring.cuh"
#include "schedule.cuh"

#include <gemm/operands.hpp>
#include <gpu/cluster.hpp>
#include <gpu/convert.hpp>
#include <gpu/global.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace cluster_multicast {

inline constexpr const char* kName = "08_cluster_multicast";

// A block computes BM x BN of C, each of its consumer warpgroups BM / kConsumers rows of it.
template <int BM_, int BN_, int kStages_, int kConsumers_>
struct Tiles {
  static constexpr int BM = BM_, BN = BN_, BK = 64, kStages = kStages_, kConsumers = kConsumers_;
};

// How results are stored: by plain stores, by stores that write through the L2 at once, or by the
// latter in the order of 16 columns, the lower rows first.
enum class Store { kPlain, kWriteThrough, kReordered };

// How the work is done, each line a variant of its own.
template <int CM_ = 2, int CN_ = 1>
struct Ways {
  static constexpr int CM = CM_, CN = CN_;  // blocks in a cluster, along M and along N
  static constexpr bool kMulticast = true;  // or each block brings all of its tiles
  static constexpr gpu::Scope kScope = gpu::Scope::kBlock;  // of arrivals and waits
  static constexpr Rows kRows = Rows::kDealt;
  static constexpr Store kStore = Store::kPlain;
  static constexpr int kGroupRows = CM * CN == 1 ? 8 : 16;  // tiles of C that are walked together
  static constexpr bool kWholeRounds = true;  // no more blocks than whole rounds of tiles need
};

template <class Tiles, class Ways_ = Ways<>>
struct Config : Tiles, Ways_ {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::kStages, Tiles::kConsumers;
  static constexpr int MMA_M = 64, MMA_K = 16, kInFlight = 1;
  static constexpr int WM = BM / kConsumers, kAtoms = WM / MMA_M;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  // A thread may have 65536 / kThreads registers, in multiples of 8. The producer needs next to
  // none.
  static constexpr int kProducerRegisters = 40;
  static constexpr int kConsumerRegisters = kConsumers <= 2 ? 232 : 152;
  static_assert(BM % (kConsumers * MMA_M) == 0 && BK % MMA_K == 0 && kStages > kInFlight);

  using Cluster = cluster_multicast::Cluster<Ways_::CM, Ways_::CN>;
  // Without multicast a block depends on nobody, as if it were alone.
  using Sharing = std::conditional_t<Ways_::kMulticast, Cluster, cluster_multicast::Cluster<1, 1>>;
  using TileA = OperandTile<BM, Rows::kPlain, Sharing::CN>;
  using TileB = OperandTile<BN, Ways_::kRows, Sharing::CM>;
  using Ring = cluster_multicast::Ring<kStages, kConsumers, Sharing, Ways_::kScope>;
  // Neighbouring results of a row that a thread has.
  static constexpr int kNeighbours = Ways_::kRows == Rows::kDealt ? 8 : 2;
};

template <class T, class Config>
struct SharedStorage {
  struct Stage {  // swizzles repeat every 1024 bytes, and tiles begin where they do
    alignas(1024) T a[Config::TileA::kSize];
    alignas(1024) T b[Config::TileB::kSize];
  };
  Stage stage[Config::kStages];
  typename Config::Ring ring;
};

// Where results go: (m, n), n contiguous, rows `leading_dimension` apart. `width`: elements per
// store that addresses and rows allow.
template <class T>
struct Output {
  T* data;
  int64_t leading_dimension;
  int m, n;
  int width;
};

template <Store kStore, class T, int kCount>
__device__ void store(T* target, const core::AlignedVector<T, kCount>& values) {
  if constexpr (kStore == Store::kPlain) {
    gpu::store_global(target, values);
  } else {
    gpu::store_global_write_through(target, values);
  }
}

// Rounds and stores a warpgroup's 64 x N sums, from where wgmma left them: each thread has, of two
// rows, pairs that are 8 columns of B's tile apart. kNeighbours = 8: four of these are neighbours
// in C, since B's rows were dealt out for it, and 128 bits leave at once.
template <int kNeighbours, Store kStore, class T, int kRegisters>
__device__ void store_sums(const Output<T>& c, const float (&sum)[kRegisters], int first_row,
                           int first_col) {
  constexpr int N = 2 * kRegisters, kPairs = kNeighbours / 2;
  const int lane = gpu::lane_index();
  const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int col = first_col + lane % 4 * kNeighbours;
  const bool whole = c.width >= kNeighbours && first_col + N <= c.n;
  const auto store_some = [&](int half, int j) {
    if (row + 8 * half >= c.m) return;
    T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
    core::AlignedVector<T, kNeighbours> out;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const float* const pair = sum + 4 * (j + i) + 2 * half;
      out.words[i] = gpu::from_float<T>(pair[0], pair[1]).words[0];
    }
    if (whole) {
      store<kStore>(target + 8 * j, out);
    } else {
#pragma unroll
      for (int i = 0; i < kNeighbours; ++i) {
        if (col + 8 * j + i < c.n) target[8 * j + i] = out[i];
      }
    }
  };
  if constexpr (kStore == Store::kReordered) {
    constexpr int kChunk = std::max(2, kPairs);
#pragma unroll
    for (int chunk = 0; chunk < N / 8; chunk += kChunk) {
#pragma unroll
      for (int half = 1; half >= 0; --half) {
#pragma unroll
        for (int j = chunk; j < chunk + kChunk; j += kPairs) store_some(half, j);
      }
    }
  } else {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int j = 0; j < N / 8; j += kPairs) store_some(half, j);
    }
  }
}

// Where this block's tile lies when its cluster is at `tile` of the schedule. At the edge of C it
// may lie outside: such a block brings its shares all the same, and stores nothing.
template <class Config>
__device__ TilePosition block_position(const TileSchedule& schedule, int tile) {
  const TilePosition position = schedule.position(tile);
  const int rank = Config::Cluster::rank();
  return {position.row * Config::CM + Config::Cluster::row(rank),
          position.col * Config::CN + Config::Cluster::col(rank)};
}

template <class Config>
__device__ TileSchedule::Range cluster_range(const TileSchedule& schedule) {
  constexpr int kSize = Config::Cluster::kSize;
  return schedule.of(static_cast<int>(blockIdx.x) / kSize, static_cast<int>(gridDim.x) / kSize);
}

// The producer: one thread. Fills stage after stage, its share of each, as long as the consumers
// empty them.
template <class T, class Config>
__device__ void load_tiles(SharedStorage<T, Config>& smem, const gpu::TensorMap& map_a,
                           const gpu::TensorMap& map_b, const TileSchedule& schedule, int k_tiles) {
  constexpr unsigned kStageBytes = (Config::TileA::kSize + Config::TileB::kSize) * sizeof(T);
  using Sharing = typename Config::Sharing;
  const int rank = Sharing::rank();
  typename Config::Ring::Position at;
  const auto range = cluster_range<Config>(schedule);
  for (int tile = range.first; tile < range.end; tile += range.step) {
    const TilePosition position = block_position<Config>(schedule, tile);
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++at) {
      smem.ring.wait_empty(at);
      gpu::Mbarrier& full = smem.ring.announce(at, kStageBytes);
      auto& stage = smem.stage[at.index];
      Config::TileA::load(stage.a, map_a, position.row * Config::BM, k_tile * Config::BK, full,
                          Sharing::col(rank), Sharing::row_mask(rank));
      Config::TileB::load(stage.b, map_b, position.col * Config::BN, k_tile * Config::BK, full,
                          Sharing::row(rank), Sharing::col_mask(rank));
    }
  }
}

// A consumer: a warpgroup. Multiplies stage after stage into the sums of its rows, and hands a
// stage back once the tensor cores have read it.
template <class T, class Config>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<T>& c,
                              const TileSchedule& schedule, int k_tiles, int consumer) {
  constexpr int kStages = Config::kStages, kInFlight = Config::kInFlight;
  typename Config::Ring::Position at;
  const auto range = cluster_range<Config>(schedule);
  for (int tile = range.first; tile < range.end; tile += range.step) {
    float sum[Config::kAtoms][Config::BN / 2] = {};
    if (k_tiles > 0) {
      int k_tile = 0;
      do {
        smem.ring.wait_full(at);
        const auto& stage = smem.stage[at.index];
        const auto a = Config::TileA::descriptor(stage.a, consumer * Config::WM);
        const auto b = Config::TileB::descriptor(stage.b, 0);
        gpu::wgmma_fence();
#pragma unroll
        for (int k = 0; k < Config::BK; k += Config::MMA_K) {
#pragma unroll
          for (int i = 0; i < Config::kAtoms; ++i) {
            constexpr int kAtomBytes = Config::MMA_M * 128;
            gpu::wgmma<T>(sum[i], a.plus(i * kAtomBytes + Config::TileA::step_bytes(k)),
                          b.plus(Config::TileB::step_bytes(k)));
          }
        }
        gpu::wgmma_commit();
        gpu::wgmma_wait<kInFlight>();
        // What has surely been read: this stage, or with one tile in flight the one before.
        if (k_tile >= kInFlight) smem.ring.release((at.index + kStages - kInFlight) % kStages);
        ++at;
      } while (++k_tile < k_tiles);
      gpu::wgmma_wait<0>();
      if constexpr (kInFlight > 0) smem.ring.release((at.index + kStages - 1) % kStages);
    }
    const TilePosition position = block_position<Config>(schedule, tile);
#pragma unroll
    for (int i = 0; i < Config::kAtoms; ++i) {
      store_sums<Config::kNeighbours, Config::kStore>(
          c, sum[i], position.row * Config::BM + consumer * Config::WM + i * Config::MMA_M,
          position.col * Config::BN);
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
  Config::Cluster::sync();  // the barriers of all blocks may be waited for and arrived at

  if (gpu::warpgroup_index() == 0) {
    gpu::shrink_registers<Config::kProducerRegisters>();
    if (gpu::warp_in_warpgroup() == 0 && gpu::elect_one()) {
      load_tiles<T, Config>(smem, map_a, map_b, schedule, k_tiles);
    }
  } else {
    gpu::grow_registers<Config::kConsumerRegisters>();
    const int consumer = gpu::warpgroup_index() - 1;
    compute_tiles<T, Config>(smem, c, schedule, k_tiles, consumer);
  }
  // A partner may still arrive at this block's barriers: none leaves before all are done.
  if constexpr (Config::Cluster::kSize > 1) gpu::cluster_sync();
}

}  // namespace cluster_multicast

#pragma once
// Chapter 07. The warps of a block have roles: a producer asks TMA for tiles of A and B, consumers
// multiply them, and a ring of stages with two barriers each lies between them. Blocks stay on
// their SM and go from tile to tile. C = A B^T, A (M, K) and B (N, K) with K contiguous, C (M, N)
// with N contiguous.

#include "operand_tile.cuh"
#include "ring.cuh"
#include "schedule.cuh"

#include <gemm/operands.hpp>
#include <gpu/convert.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>

namespace warp_specialized {

inline constexpr const char* kName = "07_warp_specialized";

// A block computes BM x BN of C, each of its consumer warpgroups BM / kConsumers rows of it.
template <int BM_, int BN_, int BK_, int kStages_, int kConsumers_>
struct Tiles {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, kStages = kStages_, kConsumers = kConsumers_;
};

// How the work is done, each line a variant of its own.
struct Ways {
  static constexpr bool kPersistent = true;  // blocks go from tile to tile
  static constexpr Order kOrder = Order::kGrouped;
  static constexpr bool kTokens = false;        // barriers by token instead of parity
  static constexpr bool kMoveRegisters = true;  // from the producer to the consumers
  static constexpr int kInFlight = 1;           // tiles whose multiplication may still run
  static constexpr Load kLoadA = Load::k2D, kLoadB = Load::kDealt;
};

template <class Tiles, class Ways_ = Ways>
struct Config : Tiles, Ways_ {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::kStages, Tiles::kConsumers;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int WM = BM / kConsumers, kAtoms = WM / MMA_M;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  // A thread may have 65536 / kThreads registers, in multiples of 8. The producer needs next to
  // none.
  static constexpr int kProducerRegisters = kConsumers == 1 ? 40 : 24;
  static constexpr int kConsumerRegisters = kConsumers == 1 ? 232 : kConsumers == 2 ? 240 : 160;
  static_assert(BM % (kConsumers * MMA_M) == 0 && BK % MMA_K == 0 && kStages > Ways_::kInFlight);

  using TileA = OperandTile<BM, BK, Ways_::kLoadA>;
  using TileB = OperandTile<BN, BK, Ways_::kLoadB>;
  // Neighbouring results of a row that a thread has.
  static constexpr int kNeighbours = Ways_::kLoadB == Load::kDealt ? 8 : 2;
  using Ring = std::conditional_t<Ways_::kTokens, TokenRing<kStages, kConsumers>,
                                  ParityRing<kStages, kConsumers>>;
  using Schedule = TileSchedule<Ways_::kOrder>;
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

// Rounds and stores a warpgroup's 64 x N sums, from where wgmma left them: each thread has, of two
// rows, pairs that are 8 columns of B's tile apart. kNeighbours = 8: four of these are neighbours
// in C, since B's rows were dealt out for it, and 128 bits leave at once.
template <int kNeighbours, class T, int kRegisters>
__device__ void store_sums(const Output<T>& c, const float (&sum)[kRegisters], int first_row,
                           int first_col) {
  constexpr int N = 2 * kRegisters, kPairs = kNeighbours / 2;
  const int lane = gpu::lane_index();
  const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
  const int col = first_col + lane % 4 * kNeighbours;
  const bool whole = c.width >= kNeighbours && first_col + N <= c.n;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (row + 8 * half >= c.m) break;
    T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
#pragma unroll
    for (int j = 0; j < N / 8; j += kPairs) {
      core::AlignedVector<T, kNeighbours> out;
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        const float* const pair = sum + 4 * (j + i) + 2 * half;
        out.words[i] = gpu::from_float<T>(pair[0], pair[1]).words[0];
      }
      if (whole) {
        gpu::store_global(target + 8 * j, out);
      } else {
#pragma unroll
        for (int i = 0; i < kNeighbours; ++i) {
          if (col + 8 * j + i < c.n) target[8 * j + i] = out[i];
        }
      }
    }
  }
}

// The producer: one thread. Fills stage after stage, as long as the consumers empty them.
template <class T, class Config>
__device__ void load_tiles(SharedStorage<T, Config>& smem, const gpu::TensorMap& map_a,
                           const gpu::TensorMap& map_b, const typename Config::Schedule& schedule,
                           int k_tiles) {
  constexpr unsigned kStageBytes = (Config::TileA::kSize + Config::TileB::kSize) * sizeof(T);
  typename Config::Ring::Position at;
  const auto range = schedule.of(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  for (int tile = range.first; tile < range.end; tile += range.step) {
    const TilePosition position = schedule.position(tile);
    for (int k_tile = 0; k_tile < k_tiles; ++k_tile, ++at) {
      smem.ring.wait_empty(at);
      gpu::Mbarrier& full = smem.ring.announce(at, kStageBytes);
      auto& stage = smem.stage[at.index];
      Config::TileA::load(stage.a, map_a, position.row * Config::BM, k_tile * Config::BK, full);
      Config::TileB::load(stage.b, map_b, position.col * Config::BN, k_tile * Config::BK, full);
    }
  }
}

// A consumer: a warpgroup. Multiplies stage after stage into the sums of its rows, and hands a
// stage back once the tensor cores have read it.
template <class T, class Config>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<T>& c,
                              const typename Config::Schedule& schedule, int k_tiles, int consumer) {
  constexpr int kStages = Config::kStages, kInFlight = Config::kInFlight;
  typename Config::Ring::Position at;
  const auto range = schedule.of(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  smem.ring.start_consumer();
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
    const TilePosition position = schedule.position(tile);
#pragma unroll
    for (int i = 0; i < Config::kAtoms; ++i) {
      store_sums<Config::kNeighbours>(
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
                const typename Config::Schedule schedule, const int k_tiles) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  if (threadIdx.x == 0) smem.ring.init();
  __syncthreads();  // the barriers may be waited for

  if (gpu::warpgroup_index() == 0) {
    if constexpr (Config::kMoveRegisters) gpu::shrink_registers<Config::kProducerRegisters>();
    if (gpu::warp_in_warpgroup() == 0 && gpu::elect_one()) {
      load_tiles<T, Config>(smem, map_a, map_b, schedule, k_tiles);
    }
  } else {
    if constexpr (Config::kMoveRegisters) gpu::grow_registers<Config::kConsumerRegisters>();
    const int consumer = gpu::warpgroup_index() - 1;
    compute_tiles<T, Config>(smem, c, schedule, k_tiles, consumer);
  }
}

}  // namespace warp_specialized

#pragma once
// Chapter 09. A tile is stored while the next one is multiplied, and the tiles are walked so that
// the L2 has most of what they need. C = A B^T, A (M, K) and B (N, K) with K contiguous or else
// M, N, C (M, N) with N contiguous.

#include "cluster.cuh"
#include "epilogue.cuh"
#include "operand_tile.cuh"
#include "ring.cuh"
#include "schedule.cuh"
#include "split.cuh"

#include <gemm/operands.hpp>
#include <gpu/cluster.hpp>
#include <gpu/grid.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hilbert_schedule {

inline constexpr const char* kName = "09_hilbert_schedule";

// A block computes BM x BN of C, each of its consumer warpgroups BM / kConsumers rows of it, by
// products of 64 x MMA_N.
template <int BM_, int BN_, int kStages_, int kConsumers_, int MMA_N_ = BN_>
struct Tiles {
  static constexpr int BM = BM_, BN = BN_, BK = 64, kStages = kStages_, kConsumers = kConsumers_;
  static constexpr int MMA_N = MMA_N_;
};

// How the work is done, each line a variant of its own.
template <int CM_ = 1, int CN_ = 1>
struct Ways {
  static constexpr int CM = CM_, CN = CN_;  // blocks in a cluster, along M and along N
  static constexpr auto kMajorA = core::Major::kK, kMajorB = core::Major::kK;
  static constexpr Rows kRows = Rows::kPlain;  // of B
  static constexpr Store kStore = Store::kTma;
  static constexpr bool kDeferred = true;  // a tile is stored while the next one is multiplied
  static constexpr int kInFlight = 0;      // 1: a step's products are waited for in the next one
  static constexpr int kSplit = 1;         // blocks that divide K, each with sums of its own
  static constexpr bool kColumn = true;    // room for what a functor reads of a column vector
};

template <class Tiles, class Ways_ = Ways<>>
struct Config : Tiles, Ways_ {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::kStages, Tiles::kConsumers, Tiles::MMA_N;
  static constexpr int MMA_M = 64, MMA_K = 16;
  static constexpr int WM = BM / kConsumers, kAtoms = WM / MMA_M, kCols = BN / MMA_N;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  static constexpr int kClusterSize = Ways_::CM * Ways_::CN;
  // A thread may have 65536 / kThreads registers, in multiples of 8. The producer needs next to
  // none, a few more if it addresses partners.
  static constexpr int kProducerRegisters = kClusterSize == 1 ? 24 : 40;
  static constexpr int kConsumerRegisters =
      std::min(240, (65536 / 128 - kProducerRegisters) / kConsumers / 8 * 8);
  static constexpr int kSums = kAtoms * kCols * MMA_N / 2;  // of a thread
  static_assert(BM % (kConsumers * MMA_M) == 0 && BN % MMA_N == 0 && BK % MMA_K == 0);
  static_assert(Ways_::kInFlight <= 1 && kStages > Ways_::kInFlight);
  static_assert(Ways_::kSplit == 1 || !Ways_::kDeferred);

  using Cluster = hilbert_schedule::Cluster<Ways_::CM, Ways_::CN>;
  using TileA = OperandTile<BM, Rows::kPlain, Cluster::CN, Ways_::kMajorA>;
  using TileB = OperandTile<BN, Ways_::kRows, Cluster::CM, Ways_::kMajorB>;
  using Ring = hilbert_schedule::Ring<kStages, kConsumers, Cluster>;
  // Deferred, parts are a step of K apart: one box is free again by then.
  static constexpr int kBoxes = Ways_::kDeferred ? 1 : 2;
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
  Staging<T, Config> staging;
  // What the functor reads of one, for each consumer.
  alignas(
      16) float column[Config::kColumn ? Config::kConsumers : 1][Config::kColumn ? Config::BN : 4];
  typename Config::Ring ring;
};

// What a block does, and in which order.
struct Work {
  TileSchedule schedule;
  int k_tiles;
  unsigned stage_bytes;  // that arrive for a stage
  bool reverse;          // every second tile from the end of K
  int ahead;             // steps of K to bring to the L2 while the kernel before is still at work
  Shares shares;         // kSplit > 1
  gpu::CachePolicy policy_a, policy_b;
};

// Where all tiles are under way at once, blocks on their own may lie in the grid as their tiles lie
// in C: (row in a group, column, group). Nothing need be calculated before the first load.
template <class Config>
inline constexpr bool kMayBePlaced = Config::kClusterSize == 1 && Config::kSplit == 1;
inline constexpr TileSchedule::Range kOneTile{0, 1, 1};
__device__ inline TilePosition placed_position(const TileSchedule& schedule) {
  return {static_cast<int>(blockIdx.z) * schedule.group_rows + static_cast<int>(blockIdx.x),
          static_cast<int>(blockIdx.y)};
}

// Where this block's tile lies when its cluster is at `tile` of the schedule. At the edge of C it
// may lie outside: such a block brings its shares all the same, and stores nothing.
template <class Config>
__device__ TilePosition block_position(const TileSchedule& schedule, int tile) {
  if (kMayBePlaced<Config> && schedule.placed) return placed_position(schedule);
  const TilePosition position = schedule.position(part_of<Config>(schedule, tile).tile);
  const int rank = Config::Cluster::rank();
  return {position.row * Config::CM + Config::Cluster::row(rank),
          position.col * Config::CN + Config::Cluster::col(rank)};
}

template <class Config>
__device__ TileSchedule::Range cluster_range(const TileSchedule& schedule) {
  if (kMayBePlaced<Config> && schedule.placed) return kOneTile;
  constexpr int kSize = Config::kClusterSize;
  return schedule.of(static_cast<int>(blockIdx.x) / kSize, static_cast<int>(gridDim.x) / kSize,
                     Config::kSplit);
}

// Whether a thread of a consumer needs more than an equal share of the registers: for its sums, for
// results that wait, rounded, for their turn, and for 40 other things.
template <class Config, class Functor>
inline constexpr bool kMovesRegisters =
    (Config::kDeferred || Functor::kReadsC ? 3 : 2) * Config::kSums / 2 + 40 >
    65536 / Config::kThreads;

// The producer: one thread. Fills stage after stage, its share of each, as long as the consumers
// empty them. kPlaced: schedule.placed, where the compiler knows it; that leaves little to do or to
// fetch before the first load.
template <class T, class Config, bool kPlaced>
__device__ void load_tiles(SharedStorage<T, Config>& smem, const gpu::TensorMap& map_a,
                           const gpu::TensorMap& map_b, const Work& work, int k_tiles) {
  using Cluster = typename Config::Cluster;
  const int rank = Cluster::rank();
  typename Config::Ring::Position at;
  bool backwards = false;
  const auto range = kPlaced ? kOneTile : cluster_range<Config>(work.schedule);
  for (int tile = range.first; tile < range.end; tile += range.step) {
    const TilePosition position =
        kPlaced ? placed_position(work.schedule) : block_position<Config>(work.schedule, tile);
    const Steps steps = part_of<Config>(work.schedule, tile).steps(k_tiles);
#pragma unroll 1  // less to fetch before the first load
    for (int i = 0; i < steps.count; ++i, ++at) {
      const int k = (steps.first + (backwards ? steps.count - 1 - i : i)) * Config::BK;
      smem.ring.wait_empty(at);
      gpu::Mbarrier& full = smem.ring.announce(at, work.stage_bytes);
      gpu::wait_for_prior_grid();  // nothing to wait for any more from the second step on
      auto& stage = smem.stage[at.index];
      Config::TileA::load(stage.a, map_a, position.row * Config::BM, k, full, Cluster::col(rank),
                          Cluster::row_mask(rank), work.policy_a);
      Config::TileB::load(stage.b, map_b, position.col * Config::BN, k, full, Cluster::row(rank),
                          Cluster::col_mask(rank), work.policy_b);
    }
    // What the workers read last is in the L2 still: their next tiles, in part of the same rows or
    // columns, begin with it.
    backwards = work.reverse && !backwards;
  }
  // A partner's consumers arrive at this block's barriers: it stays until they have all done so.
  if constexpr (Cluster::kSize > 1) {
    for (int i = 0; i < Config::kStages; ++i, ++at) smem.ring.wait_empty(at);
  }
}

// While the kernel before is still at work: has the L2 bring what the first steps of K ask for,
// each row of A and B once. What that kernel has yet to write there, it writes in the L2. One
// thread.
template <class Config>
__device__ void prefetch_ahead(const gpu::TensorMap& map_a, const gpu::TensorMap& map_b,
                               const Work& work) {
  const auto range = cluster_range<Config>(work.schedule);
  if (range.first >= range.end) return;
  const TilePosition position = block_position<Config>(work.schedule, range.first);
  const Steps steps = part_of<Config>(work.schedule, range.first).steps(work.k_tiles);
#pragma unroll 1
  for (int i = 0; i < std::min(work.ahead, steps.count); ++i) {
    const int k = (steps.first + i) * Config::BK;
    if (position.col == 0) Config::TileA::prefetch(map_a, position.row * Config::BM, k, 0);
    if (position.row == 0) Config::TileB::prefetch(map_b, position.col * Config::BN, k, 0);
  }
}

// Calls do_part with 0, 1, ... kCount - 1, as constants.
template <int kCount, class Do>
__device__ void for_each_part(const Do& do_part) {
  [&]<int... kParts>(std::integer_sequence<int, kParts...>) {
    (do_part(std::integral_constant<int, kParts>{}), ...);
  }
  (std::make_integer_sequence<int, kCount>{});
}

// A consumer: a warpgroup. Multiplies stage after stage into the sums of its rows, and hands a
// stage back once the tensor cores have read it.
template <class T, class TC, class Config, class Functor>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<TC>& c,
                              const Functor& functor, const Work& work, int consumer) {
  constexpr int kInFlight = Config::kInFlight;
  typename Config::Ring::Position at;
  int last = 0;  // the stage before
  // Of the first stage. Where a stage is takes one addition from there: a step of a small tile is
  // short, and instructions between its products are time that the tensor cores wait.
  const auto first_a = Config::TileA::descriptor(smem.stage[0].a, consumer * Config::WM);
  const auto first_b = Config::TileB::descriptor(smem.stage[0].b, 0);
  using Results = Outgoing<T, TC, Config, Functor>;
  Results outgoing;
  const auto send = [&](auto part) {
    outgoing.template send<decltype(part)::value>(c, smem.staging, consumer);
  };
  // What results need besides sums.
  constexpr bool kReadsC = Functor::kReadsC && Results::kPacked;
  constexpr bool kBringsColumn = Functor::kReadsColumn;
  static_assert(Config::kColumn || !kBringsColumn);
  const auto meet = [&] { gpu::barrier_sync(1 + consumer, 128); };
  float* const column = smem.column[Config::kColumn ? consumer : 0];
  const auto range = cluster_range<Config>(work.schedule);
  // The first products of a tile overwrite the sums of the last. Without tiles along K they are 0.
  float sum[Config::kAtoms][Config::kCols][Config::MMA_N / 2] = {};
  for (int tile = range.first; tile < range.end; tile += range.step) {
    const int k_tiles = part_of<Config>(work.schedule, tile).steps(work.k_tiles).count;
    // Multiplies one stage; while the tensor cores do, this warpgroup has time for something else.
    const auto multiply = [&](int k_tile, const auto& do_meanwhile) {
      smem.ring.wait_full(at);
      const int stage = at.index * static_cast<int>(sizeof(smem.stage[0]));
      const auto a = first_a.plus(stage), b = first_b.plus(stage);
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < Config::BK; k += Config::MMA_K) {
#pragma unroll
        for (int i = 0; i < Config::kAtoms; ++i) {
#pragma unroll
          for (int j = 0; j < Config::kCols; ++j) {
            gpu::wgmma<T, Config::kMajorA, Config::kMajorB>(
                sum[i][j], a.plus(i * Config::MMA_M * 128 + Config::TileA::step_bytes(k)),
                b.plus(j * Config::MMA_N * 128 + Config::TileB::step_bytes(k)),
                k_tile > 0 || k > 0);
          }
        }
      }
      gpu::wgmma_commit();
      do_meanwhile();
      gpu::wgmma_wait<kInFlight>();
      if (kInFlight == 0) smem.ring.release(at.index);
      if (kInFlight == 1 && k_tile > 0) smem.ring.release(last);
      last = at.index;
      ++at;
    };
    int k_tile = 0;
    // Does something beside a step of K, if there is one left.
    const auto do_beside_step = [&](const auto& do_it) {
      if (k_tile < k_tiles) {
        multiply(k_tile++, do_it);
      } else {
        do_it();
      }
    };
    if constexpr (Config::kDeferred) {
      for_each_part<Results::kParts>([&](auto part) { do_beside_step([&] { send(part); }); });
    }
    const auto start_results = [&] {
      const TilePosition position = block_position<Config>(work.schedule, tile);
      outgoing.start(c, position.row * Config::BM + consumer * Config::WM,
                     position.col * Config::BN);
    };
    // Where a tile lies is worked out beside a step: between two tiles the tensor cores would wait
    // for it. A block's only tile is not there yet.
    if constexpr (!Config::kDeferred) start_results();
    if constexpr (Config::kDeferred || kBringsColumn) {
      do_beside_step([&] {
        if constexpr (Config::kDeferred) start_results();
        if constexpr (kBringsColumn) {
          meet();  // nobody is at the tile before any more
          outgoing.bring_column(c, functor, column);
        }
      });
    }
    if constexpr (kReadsC) {
      // The last steps are there to read it.
      for (; k_tile + Results::kParts < k_tiles; ++k_tile) multiply(k_tile, [] {});
      for_each_part<Results::kParts>([&](auto part) {
        do_beside_step([&] { outgoing.template load<decltype(part)::value>(c); });
      });
    }
#pragma unroll 8
    for (; k_tile < k_tiles; ++k_tile) multiply(k_tile, [] {});
    if constexpr (kInFlight > 0) {
      gpu::wgmma_wait<0>();
      if (k_tiles > 0) smem.ring.release(last);
    }
    if constexpr (Config::kSplit > 1) {
      const auto part = part_of<Config>(work.schedule, tile);
      if (!add_shares<Config>(sum, work.shares, part)) continue;
    }
    if constexpr (kBringsColumn) meet();
    for_each_part<Results::kParts>([&](auto part) {
      constexpr int kPart = decltype(part)::value;
      if constexpr (!Results::kPacked) {
        outgoing.template store<kPart>(sum, c, functor, column);
      } else {
        outgoing.template hold<kPart>(sum, functor, column);
        if constexpr (!Config::kDeferred) send(part);
      }
    });
  }
  if constexpr (Config::kDeferred) for_each_part<Results::kParts>(send);
  if constexpr (Config::kStore == Store::kTma) gpu::tma_store_wait_read<0>();
}

// Warpgroup 0 produces, the others consume. The maps: A (M, K) and B (N, K), boxes as their tiles
// have them.
template <class T, class TC, class Config, class Functor>
__global__ void __launch_bounds__(Config::kThreads, 1)
    gemm_kernel(const Work work, const __grid_constant__ Output<TC> c,
                const __grid_constant__ gpu::TensorMap map_a,
                const __grid_constant__ gpu::TensorMap map_b, const Functor functor) {
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();
  if (threadIdx.x == 32) {  // the first loads need not wait for them
    gpu::prefetch_tensor_map(map_a);
    gpu::prefetch_tensor_map(map_b);
  }
  if (threadIdx.x == 0) smem.ring.init();
  // The producer has three warps beside it that are without work. Where a block is on its own they
  // need not meet anybody: they go where it is about to go, with nothing to load, and instructions
  // that they have fetched are there for it.
  constexpr bool kAlone = Config::kClusterSize == 1;
  const bool scout = kAlone && threadIdx.x >= 32 && threadIdx.x < 128;
  // After this the barriers of all blocks may be waited for and arrived at.
  if constexpr (kAlone) {
    if (!scout) gpu::barrier_sync(0, Config::kThreads - 96);
  } else {
    gpu::cluster_sync();
  }

  constexpr bool kMoves = kMovesRegisters<Config, Functor>;
  if (gpu::warpgroup_index() == 0) {
    if constexpr (kMoves) gpu::shrink_registers<Config::kProducerRegisters>();
    if ((scout || threadIdx.x < 32) && gpu::elect_one()) {
      const int k_tiles = scout ? 0 : work.k_tiles;
      if (kMayBePlaced<Config> && work.schedule.placed) {
        load_tiles<T, Config, kMayBePlaced<Config>>(smem, map_a, map_b, work, k_tiles);
      } else {
        load_tiles<T, Config, false>(smem, map_a, map_b, work, k_tiles);
      }
      // Not sooner: the next grid's blocks would settle on SMs that are idle now, or two on one.
      if (!scout) gpu::launch_dependents();
      if (scout && threadIdx.x < 64 && work.ahead > 0) [[unlikely]] {
        prefetch_ahead<Config>(map_a, map_b, work);
      }
    }
  } else {
    if constexpr (kMoves) gpu::grow_registers<Config::kConsumerRegisters>();
    gpu::wait_for_prior_grid();
    compute_tiles<T, TC, Config>(smem, c, functor, work, gpu::warpgroup_index() - 1);
  }
}

}  // namespace hilbert_schedule

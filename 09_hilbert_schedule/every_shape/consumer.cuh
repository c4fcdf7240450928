#pragma once
// A consumer: a warpgroup of a block.

#include "epilogue.cuh"
#include "kernel_params.cuh"
#include "split_k.cuh"

#include <gpu/sync.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <concepts>

namespace every_shape {

// Multiplies stage after stage into the accumulators of its rows, and releases a stage once the
// tensor cores have read it.
template <class T, class TC, class Config, class Op>
__device__ void compute_tiles(SharedStorage<T, Config>& smem, const Output<TC>& c, const Op& op,
                              const KernelParams& params, int consumer) {
  constexpr int kMmasInFlight = Config::kMmasInFlight;
  typename Config::Ring::State state;
  int last = 0;  // the stage before
  // Of the first stage. Where a stage is takes one addition from there: a k-tile of a small tile is
  // short, and instructions between its MMAs are time that the tensor cores wait.
  const int own_rows = Config::kPingPong ? 0 : consumer * Config::WM;
  const auto first_a = Config::TileA::descriptor(smem.stage[0].a, own_rows);
  const auto first_b = Config::TileB::descriptor(smem.stage[0].b, 0);
  // In a cluster there are more of them, and a single consumer prepares a k-tile beside the MMAs of
  // the one before: where its stage is, whether it is full, and whom to tell that it is empty.
  constexpr bool kLooksAhead = Config::kTileConsumers == 1 && Config::Cluster::kMulticast;
  auto next_a = first_a, next_b = first_b;
  bool is_full = false;
  const int peer = Config::Ring::peer_to_tell();
  using Results = Epilogue<T, TC, Config, Op>;
  Results epilogue;
  const auto store = [&](auto subtile) {
    epilogue.template store<decltype(subtile)::value>(c, smem.smem_c, consumer);
  };
  // What results need besides accumulators.
  constexpr bool kReadsC = Op::kReadsC && Results::kPacked;
  constexpr bool kSharesColumn = Op::kReadsColumn && !Config::kTransposed;
  T* const column = smem.column[kSharesColumn ? consumer : 0];
  // The first MMAs of a tile overwrite the accumulators of the last. Without k-tiles they are 0.
  float accumulators[Config::kAtoms][Config::kCols][Config::MMA_N / 2] = {};
  auto work = block_work<Config>(params);
  // Ping-pong: every second tile is the other consumer's.
  const auto skip_tile = [&] {
    state.skip(work.count);
    const int next = state.index * static_cast<int>(sizeof(smem.stage[0]));
    next_a = first_a.plus(next), next_b = first_b.plus(next), is_full = false;
    work.advance();
  };
  unsigned turn = consumer == 0 ? 1 : 0;  // its parity: nobody comes before the first
  const auto next_tile = [&] {
    work.advance();
    if constexpr (Config::kPingPong) skip_tile();
  };
  if constexpr (Config::kPingPong) {
    if (consumer == 1) skip_tile();
  }
  for (; !work.done(); next_tile()) {
    const int k_tiles = work.count;
    // The MMAs of one stage, as a group.
    const auto issue = [&](int k_tile, core::MatrixDescriptor a, core::MatrixDescriptor b) {
      gpu::wgmma_fence();
#pragma unroll
      for (int k = 0; k < Config::BK; k += Config::MMA_K) {
#pragma unroll
        for (int i = 0; i < Config::kAtoms; ++i) {
#pragma unroll
          for (int j = 0; j < Config::kCols; ++j) {
            gpu::wgmma<T, Config::kMajorA, Config::kMajorB>(
                accumulators[i][j], a.plus(i * Config::MMA_M * 128 + Config::TileA::step_bytes(k)),
                b.plus(j * Config::MMA_N * 128 + Config::TileB::step_bytes(k)),
                k_tile > 0 || k > 0);
          }
        }
      }
      gpu::wgmma_commit();
    };
    // Multiplies one stage; while the tensor cores do, this warpgroup has time for something else.
    const auto multiply = [&](int k_tile, const auto& do_meanwhile) {
      if constexpr (kLooksAhead) {
        smem.ring.wait_full(state, is_full);
        issue(k_tile, next_a, next_b);
        const int stage = state.index;
        ++state;
        const int next = state.index * static_cast<int>(sizeof(smem.stage[0]));
        next_a = first_a.plus(next), next_b = first_b.plus(next);
        do_meanwhile();
        is_full = smem.ring.is_full(state);
        gpu::wgmma_wait<kMmasInFlight>();
        if (kMmasInFlight == 0) smem.ring.release(stage, peer);
        if (kMmasInFlight == 1 && k_tile > 0) smem.ring.release(last, peer);
        last = stage;
      } else {
        smem.ring.wait_full(state);
        const int stage = state.index * static_cast<int>(sizeof(smem.stage[0]));
        issue(k_tile, first_a.plus(stage), first_b.plus(stage));
        do_meanwhile();
        gpu::wgmma_wait<kMmasInFlight>();
        if (kMmasInFlight == 0) smem.ring.release(state.index);
        if (kMmasInFlight == 1 && k_tile > 0) smem.ring.release(last);
        last = state.index;
        ++state;
      }
    };
    int k_tile = 0;
    // Does something beside a k-tile, if there is one left.
    const auto do_beside_k_tile = [&](const auto& do_it) {
      if (k_tile < k_tiles) {
        multiply(k_tile++, do_it);
      } else {
        do_it();
      }
    };
    if constexpr (Config::kDeferred) {
      for_each_constant<Results::kSubtiles>(
          [&](auto subtile) { do_beside_k_tile([&] { store(subtile); }); });
    }
    const auto start_results = [&] {
      const TileCoord coord = block_coord<Config>(params.schedule, work.tile);
      epilogue.start(c, coord.row * Config::BM + own_rows, coord.col * Config::BN);
      if constexpr (Op::kReadsColumn) epilogue.load_column(c, op);
    };
    // Where a tile lies is worked out beside a k-tile: between two tiles the tensor cores would
    // wait for it. A block's only tile is not there yet.
    if constexpr (Config::kDeferred) {
      do_beside_k_tile(start_results);
    } else {
      start_results();
    }
    if constexpr (Config::kPingPong) smem.turns.of[consumer].wait(turn), turn ^= 1;
    const auto sync_consumer = [&] { gpu::barrier_sync(1 + consumer, 128); };
    if constexpr (kSharesColumn && Config::kDeferred) {
      do_beside_k_tile([&] {
        sync_consumer();  // nobody is at the tile before any more
        epilogue.put_column(column);
        sync_consumer();
      });
    }
    if constexpr (kReadsC) {
      // The last k-tiles are there to read it.
      for (; k_tile + Results::kSubtiles < k_tiles; ++k_tile) multiply(k_tile, [] {});
      for_each_constant<Results::kSubtiles>([&](auto subtile) {
        do_beside_k_tile([&] { epilogue.template load_c<decltype(subtile)::value>(c); });
      });
    }
#pragma unroll 8
    for (; k_tile < k_tiles; ++k_tile) multiply(k_tile, [] {});
    if constexpr (Config::kPingPong) {
      gpu::sync_warp();  // or a thread might still wait for this turn when its next one comes
      if (gpu::lane_index() == 0) smem.turns.of[1 - consumer].arrive();
    }
    // Beside the last MMAs, for a tile that is stored at once: its column, and boxes that are free.
    if constexpr (!Config::kDeferred && (kSharesColumn || Results::kByTma)) {
      if constexpr (!Results::kByTma) sync_consumer();  // as above; store_box() syncs, too
      if constexpr (kSharesColumn) epilogue.put_column(column);
      Results::kByTma ? free_boxes<0>(consumer) : sync_consumer();
    }
    if constexpr (kMmasInFlight > 0) {
      gpu::wgmma_wait<0>();
      if (k_tiles > 0) kLooksAhead ? smem.ring.release(last, peer) : smem.ring.release(last);
    }
    if constexpr (Config::kStreamK) {
      if (work.part >= 0 && !reduce_parts<Config>(accumulators, params.workspace, work)) continue;
    }
    if constexpr (Config::kSplitK > 1) add_parts<T, Config>(accumulators, smem);
    if constexpr (!Op::kReadsC && !std::same_as<Op, gemm::Identity>) {
      for_each_step<Results::kPacked>(
          op, [&](const auto& step) { epilogue.apply(accumulators, step, column); });
    }
    for_each_constant<Results::kSubtiles>([&](auto subtile) {
      constexpr int kSubtile = decltype(subtile)::value;
      if (Config::kSplitK > 1 && !has_sums<Config>(kSubtile)) return;
      if constexpr (!Results::kPacked) {
        epilogue.template store_unpacked<kSubtile>(accumulators, c, op);
      } else {
        epilogue.template convert<kSubtile>(accumulators, op);
        if constexpr (!Config::kDeferred) store(subtile);
      }
    });
  }
  if constexpr (Config::kDeferred) for_each_constant<Results::kSubtiles>(store);
  if constexpr (Config::kStore == Store::kTma) gpu::tma_store_wait_read<0>();
}

}  // namespace every_shape

#pragma once
// The ring of stages in shared memory, and its two barriers for each: full, from the producers to
// the consumers of a block, and empty, from the consumers to every producer that fills the stage.

#include "cluster.cuh"

#include <gpu/mbarrier.hpp>
#include <gpu/thread.hpp>

namespace every_shape {

// A place in the ring: a stage, and the parity of the phase that its barriers are in.
template <int kStages>
struct PipelineState {
  int index = 0;
  unsigned phase = 0;

  __device__ PipelineState& operator++() {
    if (++index == kStages) index = 0, phase ^= 1;
    return *this;
  }
  __device__ void skip(int stages) {  // of a tile that another consumer computes
    index += stages;
    phase ^= static_cast<unsigned>(index / kStages) & 1;
    index %= kStages;
  }
};

// A stage is full after one arrival, of this block's producer, and the bytes that it expects, no
// matter who brings them. It is empty for this block's producer when all consumers that read what
// it will bring have released the stage: those of all peer CTAs.
template <int kStages, int kConsumers, class Cluster>
struct Ring {
  gpu::Mbarrier full[kStages], empty[kStages];
  using State = PipelineState<kStages>;

  __device__ void init() {
    for (int i = 0; i < kStages; ++i) {
      full[i].init(1);
      empty[i].init(kConsumers * Cluster::kPeers);
    }
    gpu::fence_mbarrier_init();
  }
  // A fresh barrier counts as if the phase before its first, one of parity 1, had just ended: the
  // producer's first pass through the ring does not wait.
  __device__ void wait_empty(State state) { empty[state.index].wait(state.phase ^ 1); }
  __device__ gpu::Mbarrier& arrive_and_expect_tx(State state, unsigned bytes) {
    full[state.index].arrive_and_expect(bytes);
    return full[state.index];
  }
  __device__ void wait_full(State state) { full[state.index].wait(state.phase); }
  // One thread of a consumer warpgroup for each peer CTA: to all that may fill the stage again.
  __device__ void release(int stage) {
    const int thread = static_cast<int>(threadIdx.x % 128);
    if constexpr (!Cluster::kMulticast) {
      if (thread == 0) empty[stage].arrive();
    } else {
      if (thread >= Cluster::kPeers) return;
      const int peer = Cluster::peer(Cluster::rank(), thread);
      empty[stage].arrive_remote(static_cast<unsigned>(peer));
    }
  }

  // The same in two steps, for a consumer that looks ahead: is_full() of the next stage, and later
  // the wait if it was not; which peer CTA a thread tells, -1 for none, and later the telling.
  __device__ bool is_full(State state) { return full[state.index].test(state.phase); }
  __device__ void wait_full(State state, bool known) {
    full[state.index].wait_unless(known, state.phase);
  }
  static __device__ int peer_to_tell() {
    const int thread = static_cast<int>(threadIdx.x % 128);
    return thread < Cluster::kPeers ? Cluster::peer(Cluster::rank(), thread) : -1;
  }
  __device__ void release(int stage, int peer) {
    empty[stage].arrive_remote_if(peer >= 0, static_cast<unsigned>(peer));
  }
};

}  // namespace every_shape

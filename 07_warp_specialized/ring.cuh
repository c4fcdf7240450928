#pragma once
// The ring of stages in shared memory, and its two barriers for each: full, from the producer to
// the consumers, and empty, from the consumers to the producer.

#include <gpu/mbarrier.hpp>
#include <gpu/thread.hpp>

namespace warp_specialized {

// A place in the ring: a stage, and the parity of the phase that its barriers are in.
template <int kStages>
struct PipelineState {
  int index = 0;
  unsigned phase = 0;

  __device__ PipelineState& operator++() {
    if (++index == kStages) index = 0, phase ^= 1;
    return *this;
  }
};

// A stage is full after one arrival, the producer's, and the bytes that it expects; empty after one
// arrival of each consumer warpgroup.
template <int kStages, int kConsumers>
struct Ring {
  gpu::Mbarrier full[kStages], empty[kStages];
  using State = PipelineState<kStages>;

  __device__ void init() {
    for (int i = 0; i < kStages; ++i) {
      full[i].init(1);
      empty[i].init(kConsumers);
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
  // One thread of a consumer warpgroup.
  __device__ void release(int stage) {
    if (threadIdx.x % 128 == 0) empty[stage].arrive();
  }
};

}  // namespace warp_specialized

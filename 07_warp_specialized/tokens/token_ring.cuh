#pragma once
// The ring of stages with barriers as cuda::barrier has them: by token instead of parity.

#include "../ring.cuh"

namespace tokens {

// Who waits arrives as well, and waits for the phase it arrived in. No parity to get wrong, but
// every thread of every consumer takes part in both barriers, and the consumers have to say once
// that all stages are empty.
template <int kStages, int kConsumers>
struct TokenRing {
  gpu::Mbarrier full[kStages], empty[kStages];
  using State = warp_specialized::PipelineState<kStages>;

  __device__ void init() {
    constexpr unsigned kEveryone = kConsumers * 128 + 1;
    for (int i = 0; i < kStages; ++i) {
      full[i].init(kEveryone);
      empty[i].init(kEveryone);
    }
    gpu::fence_mbarrier_init();
  }
  __device__ void wait_empty(State state) {
    empty[state.index].wait_token(empty[state.index].arrive());
  }
  __device__ gpu::Mbarrier& arrive_and_expect_tx(State state, unsigned bytes) {
    full[state.index].arrive_and_expect(bytes);
    return full[state.index];
  }
  __device__ void start_consumer() {
    for (gpu::Mbarrier& stage : empty) stage.arrive();
  }
  __device__ void wait_full(State state) {
    full[state.index].wait_token(full[state.index].arrive());
  }
  __device__ void release(int stage) { empty[stage].arrive(); }
};

}  // namespace tokens

#pragma once
// The ring of stages between a producer and its consumers, and the two promises it is made of: a
// stage is full (the producer's, to the consumers), a stage is empty (theirs, to the producer).

#include <gpu/mbarrier.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace warp_specialized {

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

// By parity: the waiting side keeps count of the turns. A stage is full after one arrival, the
// producer's, and the bytes it announced; empty after one arrival of each consumer warpgroup.
template <int kStages, int kConsumers>
struct ParityRing {
  gpu::Mbarrier full[kStages], empty[kStages];
  using Position = Slot<kStages>;

  __device__ void init() {
    for (int i = 0; i < kStages; ++i) full[i].init(1), empty[i].init(kConsumers);
    gpu::fence_mbarrier_init();
  }
  // A fresh barrier counts as if the phase before its first, one of parity 1, had just ended: the
  // producer's first turn around the ring passes.
  __device__ void wait_empty(Position at) { empty[at.index].wait(at.parity ^ 1); }
  __device__ gpu::Mbarrier& announce(Position at, unsigned bytes) {
    full[at.index].arrive_and_expect(bytes);
    return full[at.index];
  }
  __device__ void start_consumer() {}
  __device__ void wait_full(Position at) { full[at.index].wait(at.parity); }
  __device__ void release(int stage) {
    if (threadIdx.x % 128 == 0) empty[stage].arrive();
  }
};

// By token, as cuda::barrier does it: who waits arrives as well, and waits for the phase it arrived
// in. No parity to get wrong, but every thread of every consumer takes part in both promises, and
// the consumers have to say once that all stages are empty.
template <int kStages, int kConsumers>
struct TokenRing {
  gpu::Mbarrier full[kStages], empty[kStages];
  using Position = Slot<kStages>;

  __device__ void init() {
    constexpr unsigned kEveryone = kConsumers * 128 + 1;
    for (int i = 0; i < kStages; ++i) full[i].init(kEveryone), empty[i].init(kEveryone);
    gpu::fence_mbarrier_init();
  }
  __device__ void wait_empty(Position at) { empty[at.index].wait_token(empty[at.index].arrive()); }
  __device__ gpu::Mbarrier& announce(Position at, unsigned bytes) {
    full[at.index].arrive_and_expect(bytes);
    return full[at.index];
  }
  __device__ void start_consumer() {
    for (gpu::Mbarrier& stage : empty) stage.arrive();
  }
  __device__ void wait_full(Position at) { full[at.index].wait_token(full[at.index].arrive()); }
  __device__ void release(int stage) { empty[stage].arrive(); }
};

}  // namespace warp_specialized

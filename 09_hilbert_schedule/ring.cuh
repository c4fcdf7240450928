#pragma once
// The ring of stages between the producers and the consumers of a cluster's blocks, and the two
// promises it is made of: a stage is full (to the consumers of this block), a stage is empty (to
// every producer that fills it).

#include "cluster.cuh"

#include <gpu/mbarrier.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace hilbert_schedule {

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

// A stage is full after one arrival, of this block's producer, and the bytes it announced, no
// matter who brings them. It is empty for this block's producer when all consumers that read what
// it will bring have handed the stage back: those of all partners.
template <int kStages, int kConsumers, class Cluster>
struct Ring {
  gpu::Mbarrier full[kStages], empty[kStages];
  using Position = Slot<kStages>;

  __device__ void init() {
    for (int i = 0; i < kStages; ++i) {
      full[i].init(1);
      empty[i].init(kConsumers * Cluster::kPartners);
    }
    gpu::fence_mbarrier_init();
  }
  // A fresh barrier counts as if the phase before its first, one of parity 1, had just ended: the
  // producer's first turn around the ring passes.
  __device__ void wait_empty(Position at) { empty[at.index].wait(at.parity ^ 1); }
  __device__ gpu::Mbarrier& announce(Position at, unsigned bytes) {
    full[at.index].arrive_and_expect(bytes);
    return full[at.index];
  }
  __device__ void wait_full(Position at) { full[at.index].wait(at.parity); }
  // One thread of a consumer warpgroup for each partner: to all that may fill the stage again.
  __device__ void release(int stage) {
    const int thread = static_cast<int>(threadIdx.x % 128);
    if constexpr (Cluster::kSize == 1) {
      if (thread == 0) empty[stage].arrive();
    } else {
      if (thread >= Cluster::kPartners) return;
      const int partner = Cluster::partner(Cluster::rank(), thread);
      empty[stage].arrive_remote(static_cast<unsigned>(partner));
    }
  }
};

}  // namespace hilbert_schedule

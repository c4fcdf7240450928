#pragma once
// The lesson's ring, with a scope for all arrivals and waits.

#include "../ring.cuh"

namespace stores {

// kScope: which threads see what was written before an arrival, once they have waited for it. Scope
// kBlock is what the lesson has: its barriers hand over stages that only TMA writes and wgmma
// reads.
template <int kStages, int kConsumers, class Cluster, gpu::Scope kScope>
struct ScopedRing : cluster_multicast::Ring<kStages, kConsumers, Cluster> {
  using Base = cluster_multicast::Ring<kStages, kConsumers, Cluster>;
  using State = typename Base::State;
  using Base::empty, Base::full;

  __device__ void wait_empty(State state) { empty[state.index].wait(state.phase ^ 1, kScope); }
  __device__ gpu::Mbarrier& arrive_and_expect_tx(State state, unsigned bytes) {
    full[state.index].arrive_and_expect(bytes, kScope);
    return full[state.index];
  }
  __device__ void wait_full(State state) { full[state.index].wait(state.phase, kScope); }
  __device__ void release(int stage) {
    const int thread = static_cast<int>(threadIdx.x % 128);
    if (thread >= Cluster::kPeers) return;
    const int peer = Cluster::peer(Cluster::rank(), thread);
    empty[stage].arrive_remote(static_cast<unsigned>(peer), kScope);
  }
};

}  // namespace stores

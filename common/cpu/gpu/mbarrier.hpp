#pragma once
// Barriers in shared memory that count arrivals and bytes (PTX mbarrier, compute capability 9.0).

#include <core/modes.hpp>
#include <runtime/current.hpp>

#include <cstdint>

namespace gpu {

using core::Scope;

// A barrier goes through phases 0, 1, 2, ... One is complete when the arrivals that init() was told
// and the bytes that were expected have come. Parities tell neighbouring phases apart: waiting for
// parity 1 on a fresh barrier returns at once, as though a phase before the first had completed.
// Scopes make no difference here: whatever was written is visible to all.
struct alignas(8) Mbarrier {
  std::uint64_t word;

  using Token = std::uint64_t;  // a phase

  // By one thread, before fence_mbarrier_init() and a barrier of all who use it.
  void init(unsigned arrivals, Site where = Site::current()) {
    runtime::running_thread("init").warp->block->mbarriers.init(this, arrivals, where);
  }
  void invalidate(Site where = Site::current()) {
    runtime::Thread& thread = runtime::running_thread("invalidate");
    thread.warp->block->mbarriers.invalidate(this, where);
  }
  Token arrive(Scope = Scope::kBlock, Site where = Site::current()) {
    return runtime::own_mbarrier(this, where).arrive(where);
  }
  // Adds to the bytes that this phase expects, then arrives.
  Token arrive_and_expect(unsigned bytes, Scope = Scope::kBlock, Site where = Site::current()) {
    return runtime::own_mbarrier(this, where).arrive_and_expect(bytes, where);
  }
  void expect(unsigned bytes, Site where = Site::current()) {
    runtime::own_mbarrier(this, where).expect(bytes, where);
  }
  // Arrives at the same barrier of block `rank` of the cluster.
  void arrive_remote(unsigned rank, Scope = Scope::kBlock, Site where = Site::current()) {
    runtime::peer_mbarrier(this, rank, where, "arrive_remote").arrive(where);
  }
  // Returns when the latest phase of this parity has completed.
  void wait(unsigned parity, Scope = Scope::kBlock, Site where = Site::current()) {
    runtime::own_mbarrier(this, where).wait_parity(parity, where);
  }
  // Has it completed? What it brought is visible then, as after wait().
  bool test(unsigned parity, Site where = Site::current()) {
    return runtime::own_mbarrier(this, where).test_parity(parity, where);
  }
  // wait(), unless test() has said that it has.
  void wait_unless(bool complete, unsigned parity, Site where = Site::current()) {
    if (!complete) wait(parity, Scope::kBlock, where);
  }
  // By the threads that say so.
  void arrive_if(bool arrives, Site where = Site::current()) {
    if (arrives) arrive(Scope::kBlock, where);
  }
  void arrive_remote_if(bool arrives, unsigned rank, Site where = Site::current()) {
    if (arrives) arrive_remote(rank, Scope::kBlock, where);
  }
  // Returns when the phase that arrive() has counted for has completed.
  void wait_token(Token token, Site where = Site::current()) {
    runtime::own_mbarrier(this, where).wait_token(token, where);
  }
};

// Makes init() known to the cluster and to the asynchronous proxy.
inline void fence_mbarrier_init(Site = Site::current()) {
  runtime::running_thread("fence_mbarrier_init");
}

}  // namespace gpu

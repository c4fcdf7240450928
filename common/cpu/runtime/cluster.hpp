#pragma once
// Blocks of a cluster: who they are to each other, and their barrier. Named barriers of one block.

#include <runtime/site.hpp>
#include <runtime/waiting.hpp>

#include <cstdint>
#include <string>

namespace runtime {

class Gang;
struct Block;
struct Thread;

// Block `rank` of the running thread's cluster. core::DeviceError when there is none, or when it
// has exited: its shared memory is gone then.
Block& live_peer(unsigned rank, const char* word, Site where);

// The place in the peer's shared memory that corresponds to `shared` in the running block's.
void* map_to(Block& peer, const void* shared, const char* word, Site where);

// PTX barrier.cluster: threads arrive and wait in two steps. Those that have exited count as
// arrived.
class ClusterBarrier final : public Waitable {
 public:
  void begin() { *this = {}; }
  void arrive(Thread& thread, Site where);
  void wait(Thread& thread, Site where);
  void on_exit(Thread& thread);
  std::uint32_t phases() const { return phase_; }  // how often all have met
  std::string describe(const Thread& waiter) const override;

 private:
  void complete_if_due(Gang& gang);

  unsigned arrived_ = 0;
  std::uint32_t phase_ = 0;
};

// PTX barrier.cta with an id from 0 to 15 and a number of threads.
class NamedBarrier final : public Waitable {
 public:
  void arrive(Thread& thread, int id, int threads, Site where);
  void sync(Thread& thread, int id, int threads, Site where);
  std::string describe(const Thread& waiter) const override;
  std::string likely_cause(const Thread& waiter) const override;

 private:
  bool complete_with(Thread& thread, int id, int threads, Site where);

  int id_ = 0;
  int expected_ = 0;  // 0: nobody has come yet
  int arrived_ = 0;
  Site where_;
};

// For the words, on behalf of the running thread.
void cluster_arrive(Site where);
void cluster_wait(Site where);
void named_barrier_arrive(int id, int threads, Site where);
void named_barrier_sync(int id, int threads, Site where);

// PTX setmaxnreg by the running thread's warp, which has met: `count` registers from here on,
// `more` than before or fewer. core::DeviceError when that is not so, and when, all warpgroups
// having spoken, they ask for more than the block has.
void set_registers(int count, bool more, Site where);

}  // namespace runtime

#pragma once
// mbarriers (PTX ISA, "mbarrier"): a phase is complete when every expected arrival has been made
// and every expected byte has come.

#include <runtime/site.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace runtime {

struct Block;

class MbarrierState final : public Waitable {
 public:
  MbarrierState(Block& block, std::uint32_t offset, unsigned arrivals, std::uint32_t cluster_phase)
      : block_(&block),
        offset_(offset),
        count_(arrivals),
        pending_(arrivals),
        cluster_phase_(cluster_phase) {}

  // For use by another block of the cluster: throws unless the cluster's barrier has been passed
  // since init().
  void check_shared(const char* word, Site where) const;
  // One arrival; returns the phase that it counts for. Throws when all of its have been made.
  std::uint64_t arrive(Site where);
  std::uint64_t arrive_and_expect(unsigned bytes, Site where);
  void expect(unsigned bytes, Site where);
  // Bytes of a load issued during `phase` have come. Throws when that phase is over already.
  void deliver(unsigned bytes, std::uint64_t phase, Site issued);
  // The running thread goes on when the phase of this parity (that arrive() returned) has
  // completed.
  void wait_parity(unsigned parity, Site where);
  bool test_parity(unsigned parity, Site where);  // without waiting
  void wait_token(std::uint64_t token, Site where);

  Block& block() const { return *block_; }
  std::uint64_t phase() const { return phase_; }  // the one under way, from 0
  // Has some thread waited for the end of this phase?
  bool observed(std::uint64_t phase) const { return observed_ > phase; }
  std::uint32_t offset() const { return offset_; }
  bool awaited() const { return waiting_ > 0; }
  // Has nothing ever happened at it?
  bool fresh() const { return phase_ == 0 && pending_ == count_ && bytes_ == 0; }
  std::string describe(const Thread& waiter) const override;
  std::string likely_cause(const Thread& waiter) const override;
  std::string name() const;  // "the mbarrier at shared offset 98304"

 private:
  void complete_if_due(Site where);
  template <class Done>
  void wait_until(Done done, Site where);

  Block* block_;
  std::uint32_t offset_;
  unsigned count_;          // arrivals per phase
  unsigned pending_;        // of these, still to come
  std::int64_t bytes_ = 0;  // expected less delivered
  std::uint64_t phase_ = 0;
  std::uint64_t observed_ = 0;  // phases below have been waited for
  unsigned waiting_ = 0;
  std::uint32_t cluster_phase_;  // of the cluster's barrier, in which init() was called
};

// The mbarriers of one block. The 8 bytes in shared memory only say that there is one.
class Mbarriers {
 public:
  void begin(Block& block);
  void init(void* barrier, unsigned arrivals, Site where);
  void invalidate(void* barrier, Site where);
  // core::DeviceError when there is none at this address, or its bytes have been overwritten.
  MbarrierState& find(const void* barrier, const char* word, Site where);

 private:
  // Where the state for this address stands, or null. core::DeviceError when no mbarrier can.
  MbarrierState*& at(const void* barrier, const char* word, Site where);

  Block* block_ = nullptr;
  std::deque<MbarrierState> states_;
  std::vector<MbarrierState*> by_offset_;  // in units of 8 bytes
};

// For the intrinsics, named `word`: an mbarrier of the running block, and the one at the same place
// of block `rank` of the cluster.
MbarrierState& own_mbarrier(const void* barrier, Site where,
                            const char* word = __builtin_FUNCTION());
MbarrierState& peer_mbarrier(const void* barrier, unsigned rank, Site where, const char* word);

}  // namespace runtime

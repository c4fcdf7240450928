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
  MbarrierState(Block& block, std::uint32_t offset) : block_(&block), offset_(offset) {}

  void init(unsigned arrivals, std::uint32_t cluster_phase);
  // For use by another block of the cluster: throws unless the cluster's barrier has been passed
  // since init().
  void check_shared(const char* word, Site where) const;
  // Throws when all of this phase's arrivals have been made.
  void check_arrival(Site where) const;
  // One arrival; returns the phase that it counts for.
  std::uint64_t arrive(Site where);
  void expect(unsigned bytes, Site where);
  // Bytes of a load issued during `phase` have come. Throws when that phase is over already.
  void deliver(unsigned bytes, std::uint64_t phase, Site issued);
  // Returns when the phase of this parity (of this number) has completed.
  void wait_parity(Thread& thread, unsigned parity, Site where);
  void wait_phase(Thread& thread, std::uint64_t phase, Site where);

  std::uint64_t phase() const { return phase_; }  // the one under way, from 0
  // Has some thread waited for the end of this phase?
  bool observed(std::uint64_t phase) const { return observed_ > phase; }
  bool awaited() const { return waiting_ > 0; }
  // Has nothing ever happened at it?
  bool fresh() const { return phase_ == 0 && pending_ == count_ && bytes_ == 0; }
  std::string describe(const Thread& waiter) const override;
  std::string likely_cause(const Thread& waiter) const override;
  std::string name() const;  // "the mbarrier at shared offset 98304"

 private:
  void complete_if_due(Site where);
  void wait_once(Thread& thread, std::uint64_t detail, Site where);

  Block* block_;
  std::uint32_t offset_;
  unsigned count_ = 0;      // arrivals per phase
  unsigned pending_ = 0;    // of these, still to come
  std::int64_t bytes_ = 0;  // expected less delivered
  std::uint64_t phase_ = 0;
  std::uint64_t observed_ = 0;  // phases below have been waited for
  unsigned waiting_ = 0;
  std::uint32_t cluster_phase_ = 0;  // of the cluster's barrier, in which init() was called
};

// The mbarriers of one block. The 8 bytes in shared memory only say that there is one.
class Mbarriers {
 public:
  void begin(Block& block);
  MbarrierState& add(unsigned offset) { return states_.emplace_back(*block_, offset); }
  // Where the state for this address stands, or null. core::DeviceError when no mbarrier can.
  MbarrierState*& at(const void* barrier, const char* word, Site where);
  // core::DeviceError when there is none at this address, or its bytes have been overwritten.
  MbarrierState& find(const void* barrier, const char* word, Site where);

 private:
  Block* block_ = nullptr;
  std::deque<MbarrierState> states_;
  std::vector<MbarrierState*> by_offset_;  // in units of 8 bytes
};

// For the intrinsics, on behalf of the running thread.
void mbarrier_init(void* barrier, unsigned arrivals, Site where);
void mbarrier_invalidate(void* barrier, Site where);
std::uint64_t mbarrier_arrive(void* barrier, Site where);
std::uint64_t mbarrier_arrive_and_expect(void* barrier, unsigned bytes, Site where);
void mbarrier_expect(void* barrier, unsigned bytes, Site where);
void mbarrier_arrive_remote(void* barrier, unsigned rank, Site where);
void mbarrier_wait_parity(void* barrier, unsigned parity, Site where);
void mbarrier_wait_token(void* barrier, std::uint64_t token, Site where);

}  // namespace runtime

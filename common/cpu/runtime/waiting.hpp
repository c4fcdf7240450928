#pragma once
// Waiting as a first-class thing. Whatever holds threads back (a barrier, a warp's meeting, later
// an mbarrier or a group of copies) is a Waitable: a thread waits on it through Gang::wait and goes
// on when somebody calls Gang::wake. When nobody can move, each Waitable says what it is missing.

#include <runtime/site.hpp>

#include <cstdint>
#include <string>

namespace runtime {

struct Thread;

class Waitable {
 public:
  // What the waiter waits for and what is missing: "in __syncthreads, 64 of 128 arrived".
  virtual std::string describe(const Thread& waiter) const = 0;
  // Asked when nobody can move: why this will not come, if its own state shows it.
  virtual std::string likely_cause(const Thread&) const { return ""; }

 protected:
  Waitable() = default;
  Waitable(const Waitable&) = default;
  Waitable& operator=(const Waitable&) = default;
  ~Waitable() = default;

  // For those that outlive a launch: it may have ended with threads waiting.
  void forget_waiters() { first_ = last_ = nullptr; }

 private:
  friend class Gang;
  Thread* first_ = nullptr;  // waiters in the order of their arrival
  Thread* last_ = nullptr;
};

struct Wait {
  const Waitable* on = nullptr;
  Site where;
  std::uint64_t detail = 0;  // for describe(): a parity, a group count
};

}  // namespace runtime

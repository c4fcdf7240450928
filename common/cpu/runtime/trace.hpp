#pragma once
// The seam between the scheduler and the counters: what a traced build is told while a kernel runs.

#include <runtime/current.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace runtime {

class Trace {
 public:
  virtual ~Trace() = default;

  virtual void begin_gang(const Gang& gang) = 0;
  // One access by the running thread. `place` tells instructions apart; lanes of a warp whose n-th
  // access at one place is the same n belong to one request. A thread held back by a predicate
  // takes its turn with `active` false.
  virtual void access(std::uint64_t place, std::uintptr_t address, std::size_t bytes, Access kind,
                      bool active) = 0;
  // One matrix of an ldmatrix (kLoad) or stmatrix (kStore), by its rows; `first` of the
  // instruction's.
  virtual void matrix(const std::uint64_t (&rows)[8], bool first, Access kind) = 0;
  // A piece of a box that TMA loads, in the order of the block's program; then the end of the box.
  virtual void box_row(const void* memory, std::size_t bytes) = 0;
  virtual void end_of_box() = 0;
  // All live lanes of the warp have met: what they did before belongs to requests now complete.
  virtual void warp_met(const Warp& warp) = 0;
  virtual void end_gang() = 0;
};

// Set before main by the tracing library, when it is linked.
using MakeTrace = std::unique_ptr<Trace> (*)();
inline constinit MakeTrace make_trace = nullptr;

// For words in traced kernels: the access they are about to make, at the call's own place.
void trace_word(const void* address, std::size_t bytes, Access kind, bool active, Site where);

// One gpu::fma of a traced kernel.
void count_fma();

void untraced_copy(void* to, const void* from, std::size_t bytes);

}  // namespace runtime

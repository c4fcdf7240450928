#include <runtime/collectives.hpp>

#include <core/error.hpp>
#include <runtime/current.hpp>
#include <runtime/gang.hpp>
#include <runtime/report.hpp>
#include <runtime/trace.hpp>

#include <cstring>
#include <utility>

namespace runtime {

// --- The block's barrier ----------------------------------------------------------------------

void BlockBarrier::sync(Thread& thread, Site where) {
  Block& block = *thread.warp->block;
  // Lanes of this warp that are here already must have come from the same line.
  const Warp& warp = *thread.warp;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!(warp.live >> lane & 1)) continue;
    const Thread& other = warp.lanes[lane];
    if (other.state != Thread::State::kWaiting || other.wait.on != this) continue;
    if (other.wait.where == where) break;
    fail_in(&thread, where, "__syncthreads while ", place_of(other),
            " of the same warp is in the one at ", other.wait.where,
            ": all lanes of a warp must reach the same one");
  }
  if (++arrived_ == block.live_threads) return complete(block);
  block.gang->wait(thread, *this, where);
}

void BlockBarrier::on_exit(Block& block) {
  if (arrived_ > 0 && arrived_ == block.live_threads) complete(block);
}

void BlockBarrier::complete(Block& block) {
  arrived_ = 0;
  ++block.gang->work().block_barriers;
  if (Trace* trace = block.gang->trace()) {
    for (const Warp& warp : block.warps) trace->warp_met(warp);
  }
  block.gang->wake(*this);
}

std::string BlockBarrier::describe(const Thread& waiter) const {
  return join("in __syncthreads, ", arrived_, " of ", waiter.warp->block->live_threads, " arrived");
}

void sync_block(Site where) {
  Thread& thread = running_thread("__syncthreads");
  thread.warp->block->barrier.sync(thread, where);
}

// --- The warp's meeting -----------------------------------------------------------------------

// Registers the running lane, after its value or operand has been put down.
void WarpMeeting::arrive(Thread& thread, const char* word, Sites sites, Site where) {
  if (arrived_ == 0) {
    word_ = word;
    where_ = where;
  } else if ((word_ != word && std::strcmp(word_, word) != 0) ||
             (sites == Sites::kSame && !(where_ == where))) {
    fail_in(&thread, where, word, " while lanes ", lane_ranges(arrived_),
            " of the same warp are in ", word_, " at ", where_,
            ": all lanes of a warp must take part in the same one");
  }
  arrived_ |= thread.lane_bit();
}

WarpMeeting::View WarpMeeting::meet(Thread& thread, std::uint32_t value, const char* word,
                                    Sites sites, Site where) {
  Warp& warp = *thread.warp;
  Round& round = rounds_[current_];
  arrive(thread, word, sites, where);
  round.values[thread.lane()] = value;
  if (arrived_ == warp.live) {
    complete(warp);
  } else {
    warp.block->gang->wait(thread, *this, where);
  }
  return {round.values, round.present};
}

void WarpMeeting::meet_to(Thread& thread, Action action, void* operand, const char* word,
                          Site where) {
  Warp& warp = *thread.warp;
  arrive(thread, word, Sites::kSame, where);
  action_ = action;
  operands_[thread.lane()] = operand;
  if (arrived_ == warp.live) {
    complete(warp);
  } else {
    warp.block->gang->wait(thread, *this, where);
  }
}

void WarpMeeting::on_exit(Warp& warp) {
  if (arrived_ != 0 && arrived_ == warp.live) complete(warp);
}

void WarpMeeting::complete(Warp& warp) {
  if (action_ != nullptr) {
    if (~arrived_ != 0) {
      fail_in(nullptr, where_, word_, " needs all 32 lanes of a warp, lanes ",
              lane_ranges(~arrived_), " have exited or do not exist");
    }
    std::exchange(action_, nullptr)(warp, operands_);
  }
  rounds_[current_].present = arrived_;
  current_ ^= 1;
  arrived_ = 0;
  if (Trace* trace = warp.block->gang->trace()) trace->warp_met(warp);
  warp.block->gang->wake(*this);
}

std::string WarpMeeting::describe(const Thread& waiter) const {
  return std::string("in ") + word_ + ", lanes " + lane_ranges(waiter.warp->live & ~arrived_) +
         " of the warp missing";
}

WarpMeeting::View meet_warp(std::uint32_t value, const char* word, WarpMeeting::Sites sites,
                            Site where) {
  Thread& thread = running_thread(word);
  return thread.warp->meeting.meet(thread, value, word, sites, where);
}

void meet_warp_to(WarpMeeting::Action action, void* operand, const char* word, Site where) {
  Thread& thread = running_thread(word);
  thread.warp->meeting.meet_to(thread, action, operand, word, where);
}

}  // namespace runtime

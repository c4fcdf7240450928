#include <runtime/collectives.hpp>

#include <runtime/gang.hpp>
#include <runtime/report.hpp>
#include <runtime/tracer.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace runtime {

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
  if (Tracer* trace = block.gang->trace()) {
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

WarpMeeting::View WarpMeeting::meet(Thread& thread, const char* word, Site where,
                                    std::uint32_t value, Action action, void* operand) {
  Warp& warp = *thread.warp;
  Round& round = rounds_[current_];
  if (arrived_ == 0) {
    word_ = word;
    where_ = where;
  } else if ((word_ != word && std::strcmp(word_, word) != 0) ||
             (!(where_ == where) && std::strcmp(word, "sync_warp") != 0)) {
    fail(where, word, " while lanes ", lane_ranges(arrived_), " of the same warp are in ", word_,
         " at ", where_, ": all lanes of a warp must take part in the same one");
  }
  arrived_ |= thread.lane_bit();
  action_ = action;
  operands_[thread.lane()] = operand;
  round.values[thread.lane()] = value;
  if (arrived_ == warp.live) {
    complete(warp);
  } else {
    warp.block->gang->wait(thread, *this, where);
  }
  return {round.values, round.present};
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
  if (Tracer* trace = warp.block->gang->trace()) trace->warp_met(warp);
  warp.block->gang->wake(*this);
}

std::string WarpMeeting::describe(const Thread& waiter) const {
  return std::string("in ") + word_ + ", lanes " + lane_ranges(waiter.warp->live & ~arrived_) +
         " of the warp missing";
}

WarpMeeting::View meet_warp(const char* word, Site where, std::uint32_t value,
                            WarpMeeting::Action action, void* operand) {
  Thread& thread = running_thread(word);
  return thread.warp->meeting.meet(thread, word, where, value, action, operand);
}

Block& live_peer(unsigned rank, const char* word, Site where) {
  auto& blocks = running_thread(word).warp->block->gang->blocks();
  if (rank >= blocks.size()) {
    fail(where, word, " for block ", rank, " of a cluster of ", blocks.size());
  }
  Block& peer = blocks[rank];
  if (peer.live_threads == 0) {
    fail(where, word, " reaches into block ", peer.index,
         " of the cluster, which has exited: its shared memory is gone (cluster_sync() "
         "before leaving keeps it)");
  }
  return peer;
}

void* map_to(Block& peer, const void* shared, const char* word, Site where) {
  const auto offset = static_cast<const std::byte*>(shared) - current.block->shared_memory.window();
  if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(kSharedWindow)) {
    fail(where, word, " of an address that is not in the block's shared memory");
  }
  return peer.shared_memory.window() + offset;
}

void ClusterBarrier::arrive(Thread& thread, Site where) {
  if (thread.cluster_arrived()) {
    fail(where,
         "cluster_arrive by this thread for the second time without a cluster_wait in between");
  }
  thread.cluster_phase = phase_ + 1;
  ++arrived_;
  complete_if_due(*thread.warp->block->gang);
}

void ClusterBarrier::wait(Thread& thread, Site where) {
  if (!thread.cluster_arrived()) fail(where, "cluster_wait without a cluster_arrive before");
  while (phase_ < thread.cluster_phase) thread.warp->block->gang->wait(thread, *this, where);
  thread.cluster_waited = thread.cluster_phase;
}

void ClusterBarrier::on_exit(Thread& thread) {
  if (thread.cluster_phase > phase_) --arrived_;
  complete_if_due(*thread.warp->block->gang);
}

void ClusterBarrier::complete_if_due(Gang& gang) {
  if (arrived_ == 0 || arrived_ != gang.live_threads()) return;
  arrived_ = 0;
  ++phase_;
  gang.wake(*this);
}

std::string ClusterBarrier::describe(const Thread& waiter) const {
  return join("in cluster_wait, ", arrived_, " of ", waiter.warp->block->gang->live_threads(),
              " threads of the cluster arrived");
}

bool NamedBarrier::complete_with(Thread& thread, int id, int threads, Site where) {
  if (id < 0 || id > 15) {
    fail(where, "barrier ", id, ": 0 to 15 (0 is also __syncthreads())");
  }
  if (threads < 32 || threads % 32 != 0) {
    fail(where, "barrier ", id, " for ", threads,
         " threads: whole warps are needed, a multiple of 32");
  }
  if (expected_ == 0) {
    id_ = id;
    expected_ = threads;
    where_ = where;
  } else if (expected_ != threads) {
    fail(where, "barrier ", id, " for ", threads, " threads, while at ", where_, " it is for ",
         expected_, ": all who meet there must name one number");
  }
  // Hardware counts whole warps: the first lane of one that is not full brings the missing ones.
  const auto behind = static_cast<unsigned>(thread.warp->block->threads.size()) - thread.number;
  const bool brings = thread.lane() == 0 && behind < kWarpSize;
  arrived_ += brings ? static_cast<int>(kWarpSize - behind) + 1 : 1;
  if (arrived_ < expected_) return false;
  expected_ = arrived_ = 0;
  Gang& gang = *thread.warp->block->gang;
  ++gang.work().block_barriers;
  gang.wake(*this);
  return true;
}

std::string NamedBarrier::describe(const Thread&) const {
  return join("at barrier ", id_, ", ", arrived_, " of ", expected_, " threads arrived");
}

std::string NamedBarrier::likely_cause(const Thread& waiter) const {
  const Block& block = *waiter.warp->block;
  if (static_cast<int>(block.live_threads) >= expected_) return "";
  return join("barrier ", id_, " is for ", expected_, " threads, and only ", block.live_threads,
              " of the block have not exited");
}

void named_barrier(int id, int threads, bool waits, Site where) {
  Thread& thread = running_thread(waits ? "barrier_sync" : "barrier_arrive");
  NamedBarrier& barrier = current.block->named_barriers[static_cast<unsigned>(id) % 16];
  const bool complete = barrier.complete_with(thread, id, threads, where);
  if (waits && !complete) current.gang->wait(thread, barrier, where);
}

void set_registers(int count, bool more, Site where) {
  Block& block = *current.block;
  const auto threads = static_cast<int>(block.warps.size() * kWarpSize);  // whole warps have them
  // What the compiler can give each thread at the launch when one block has the SM to itself.
  const int most = std::min(65536 / threads / 8 * 8, 256), launched = most * threads;
  int& registers = current.thread->warp->registers;
  const bool spoken = registers != 0;
  if (!more && count > (spoken ? registers : most)) {
    fail(where, "shrink_registers to ", count, ", but a thread has ", spoken ? registers : most,
         (spoken ? "" : " at most"), ": grow_registers takes more");
  }
  if (more && count < registers) {
    fail(where, "grow_registers to ", count, ", but a thread has ", registers,
         ": shrink_registers gives some back");
  }
  registers = count;
  int wanted = 0;
  for (const Warp& warp : block.warps) {
    if (warp.registers == 0) return;  // it may give some back yet
    wanted += warp.registers * static_cast<int>(kWarpSize);
  }
  if (wanted > launched) {
    fail(where, "the warps want ", wanted, " registers in all, the block of ", threads,
         " threads was launched with ", launched,
         " at most: this grow_registers would never return");
  }
}

static int load_acquire(const int* semaphore) {
  return std::atomic_ref(const_cast<int&>(*semaphore)).load(std::memory_order_acquire);
}

void SemaphoreWaits::wait(Thread& thread, const int* semaphore, int value, Site where) {
  while (load_acquire(semaphore) != value) {
    waits_.push_back({&thread, semaphore, value});
    thread.warp->block->gang->wait(thread, *this, where);
    std::erase_if(waits_, [&](const One& one) { return one.thread == &thread; });
  }
}

bool SemaphoreWaits::can_go_on() const {
  return std::any_of(waits_.begin(), waits_.end(),
                     [](const One& one) { return load_acquire(one.semaphore) == one.value; });
}

bool SemaphoreWaits::wake_if_due(Gang& gang) {
  if (!can_go_on()) return false;
  gang.wake(*this);
  return true;
}

std::string SemaphoreWaits::describe(const Thread& waiter) const {
  for (const One& one : waits_) {
    if (one.thread != &waiter) continue;
    return join("for a semaphore to be ", one.value, "; it is ", load_acquire(one.semaphore));
  }
  return "for a semaphore";
}

}  // namespace runtime

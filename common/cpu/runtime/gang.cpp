#include <runtime/gang.hpp>

#include <core/error.hpp>
#include <runtime/report.hpp>
#include <runtime/tracer.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace runtime {

Gang::Gang() : stack_bytes_(runtime::stack_bytes()) {
  if (traced) trace_ = std::make_unique<Tracer>();
}

Gang::~Gang() {
  if (arena_ != nullptr) munmap(arena_, arena_blocks_ * kSharedWindow);
}

void Gang::set_up(const Grid& grid, std::uint64_t number) {
  grid_ = &grid;
  const unsigned block_count = grid.blocks_per_gang();
  const unsigned thread_count = grid.threads_per_block();
  const unsigned warp_count = (thread_count + kWarpSize - 1) / kWarpSize;
  if (block_count > arena_blocks_) {
    if (arena_ != nullptr) munmap(arena_, arena_blocks_ * kSharedWindow);
    arena_ = nullptr;
    void* memory = mmap(nullptr, block_count * kSharedWindow, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw core::DeviceError(join("no memory for shared memory: ", std::strerror(errno)));
    }
    arena_ = static_cast<std::byte*>(memory);
    arena_blocks_ = block_count;
  }

  // Blocks of a cluster are neighbours in the grid; clusters are numbered x fastest.
  const dim3 clusters(grid.blocks.x / grid.cluster.x, grid.blocks.y / grid.cluster.y);
  const auto cluster_x = static_cast<unsigned>(number % clusters.x);
  const auto cluster_y = static_cast<unsigned>(number / clusters.x % clusters.y);
  const auto cluster_z = static_cast<unsigned>(number / clusters.x / clusters.y);

  blocks_.resize(block_count);
  queue_.resize(std::size_t{block_count} * warp_count);
  queue_head_ = queue_count_ = 0;
  for (unsigned rank = 0; rank < block_count; ++rank) {
    Block& block = blocks_[rank];
    block.gang = this;
    block.rank = rank;
    block.index = {cluster_x * grid.cluster.x + rank % grid.cluster.x,
                   cluster_y * grid.cluster.y + rank / grid.cluster.x % grid.cluster.y,
                   cluster_z * grid.cluster.z + rank / grid.cluster.x / grid.cluster.y};
    block.live_threads = thread_count;
    block.barrier = {};
    block.named_barriers = {};
    block.shared_memory.begin(arena_ + rank * kSharedWindow, grid.dynamic_smem);
    block.shadow.begin();
    block.mbarriers.begin(block);
    block.threads.resize(thread_count);
    block.warps.resize(warp_count);
    for (unsigned w = 0; w < warp_count; ++w) {
      Warp& warp = block.warps[w];
      const unsigned lanes = std::min(kWarpSize, thread_count - w * kWarpSize);
      const std::uint32_t all = lanes == kWarpSize ? ~0u : (1u << lanes) - 1;
      warp = {};
      warp.block = &block;
      warp.lanes = &block.threads[w * kWarpSize];
      warp.number = rank * warp_count + w;
      warp.live = warp.ready = all;
      warp.queued = true;
      queue_[queue_count_++] = &warp;
    }
    uint3 index;
    for (unsigned t = 0; t < thread_count; ++t) {
      Thread& thread = block.threads[t];
      thread = {};
      thread.index = index;
      thread.number = t;
      thread.warp = &block.warps[t / kWarpSize];
      thread.prior_grid_done = !grid.overlapped;
      if (++index.x == grid.threads.x) {
        index.x = 0;
        if (++index.y == grid.threads.y) index.y = 0, ++index.z;
      }
    }
  }
  running_ = nullptr;
  live_threads_ = block_count * thread_count;
  error_ = nullptr;
}

bool Gang::run(const Grid& grid, std::uint64_t number, const Policy& policy) {
  number_ = number;
  timing_.begin(policy, number);
  dice_ = Dice(policy.seed ^ (number * 0xd1342543de82ef95u));  // the same whichever worker runs it
  elected_lane_ = timing_.random() ? dice_.below(kWarpSize) : 0;
  steps_ = 0;
  work_ = {};
  set_up(grid, number);
  lagging_ = dice_.below(queue_.size() / 2 + 1);  // in half of the gangs or more: nobody
  copies_.begin(*this);
  tma_.begin(*this);
  tensor_cores_.begin(*this);
  cluster_barrier_ = {};
  semaphores_ = {};
  if (trace_) trace_->begin_gang(*this);
  return go();
}

bool Gang::resume() {
  semaphores_.wake_if_due(*this);
  return go();
}

bool Gang::go() {
  current.gang = this;
  blockDim = grid_->threads;
  gridDim = grid_->blocks;

  // Back when all have exited, nobody can move, or something was thrown. There may be nobody to go
  // on with: the semaphore has changed again, or a copy has failed.
  if (Thread* next = pick()) go_on(main_, next);

  const bool aside = live_threads_ > 0 && !error_ && semaphores_.any();
  std::string report;
  if (live_threads_ > 0 && !aside && !error_) report = deadlock_report(blocks_);
  if (error_ || !report.empty()) reset_fibers();
  current.thread = nullptr;
  current.block = nullptr;
  current.gang = nullptr;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  if (!report.empty()) throw core::DeviceError(report);
  if (aside) return false;
  if (trace_) trace_->end_gang();
  add_counts(work_);
  return true;
}

void Gang::make_ready(Thread& thread) {
  Warp& warp = *thread.warp;
  thread.state = Thread::State::kReady;
  warp.ready |= thread.lane_bit();
  if (&warp == running_ || warp.queued) return;
  warp.queued = true;
  queue_[(queue_head_ + queue_count_++) % queue_.size()] = &warp;
}

Warp* Gang::next_warp() {
  if (queue_count_ == 0) return nullptr;
  if (timing_.random()) {
    std::size_t chosen;
    int draws = 0;
    do {
      chosen = (queue_head_ + dice_.below(queue_count_)) % queue_.size();
    } while (lags(*queue_[chosen]) && ++draws < 8);
    std::swap(queue_[queue_head_], queue_[chosen]);
  }
  Warp* warp = queue_[queue_head_];
  queue_head_ = (queue_head_ + 1) % queue_.size();
  --queue_count_;
  warp->queued = false;
  return warp;
}

// The next thread to run, or null. A warp goes on for as long as any of its lanes can. Under the
// random policy the warp that has just moved may have to give way, and its lanes run in any order.
// One that lags always gives way.
Thread* Gang::choose() {
  if (timing_.random() && running_ != nullptr && running_->ready != 0 &&
      (lags(*running_) || dice_.below(8) == 0)) {
    Warp* warp = std::exchange(running_, nullptr);
    warp->queued = true;
    queue_[(queue_head_ + queue_count_++) % queue_.size()] = warp;
  }
  if (running_ == nullptr || running_->ready == 0) running_ = next_warp();
  if (running_ == nullptr) return nullptr;
  unsigned lane;
  if (timing_.random()) {
    const int turn = static_cast<int>(dice_.below(kWarpSize));
    lane = (std::countr_zero(std::rotr(running_->ready, turn)) + turn) % kWarpSize;
  } else {
    lane = std::countr_zero(running_->ready);
  }
  running_->ready &= ~(1u << lane);
  return running_->lanes + lane;
}

// What happens in here can fail: then run() hears of it, whoever has called.
Thread* Gang::pick() {
  try {
    if (timing_.random()) {  // asynchronous things happen while threads run, too
      copies_.stir();
      tma_.stir();
      tensor_cores_.stir();
    }
    for (;;) {
      if (Thread* next = choose()) return next;
      // Nobody can run, unless something asynchronous happens.
      if (!tma_.advance() && !semaphores_.wake_if_due(*this)) return nullptr;
    }
  } catch (...) {
    error_ = std::current_exception();
    return nullptr;
  }
}

void Gang::enter(Thread& thread) {
  ++steps_;
  Block& block = *thread.warp->block;
  current.thread = &thread;
  threadIdx = thread.index;
  if (current.block != &block) {
    current.block = &block;
    blockIdx = block.index;
  }
}

void Gang::prepare(Fiber& fiber) {
  const auto loop = [](void* gang) {
    static_cast<Gang*>(gang)->thread_loop(*current.thread->fiber);
  };
  fiber.prepare(loop, this);
}

Fiber& Gang::idle_fiber() {
  if (idle_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>(stack_bytes_, fibers_.size()));
    prepare(*fibers_.back());
    idle_.push_back(fibers_.back().get());
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

// Leaves `from` for the thread, which may not have begun yet, or for run() when there is none.
void Gang::go_on(Fiber& from, Thread* next) {
  if (next == nullptr) return Fiber::switch_to(from, main_);
  enter(*next);
  if (next->fiber == nullptr) {
    try {
      next->fiber = &idle_fiber();
    } catch (...) {  // no memory for one more stack
      error_ = std::current_exception();
    }
    if (error_) return &from == &main_ ? void() : Fiber::switch_to(from, main_);
  }
  Fiber::switch_to(from, *next->fiber);
}

// What every fiber does: run threads. A thread that ends is followed by the next one on the same
// stack if that has not begun yet; a kernel that never waits needs one fiber and no switch.
void Gang::thread_loop(Fiber& fiber) {
  for (;;) {
    Thread& thread = *current.thread;
    std::exception_ptr error;
    try {
      grid_->body(grid_->arguments);
      leave(thread);
    } catch (...) {
      error = std::current_exception();
    }
    // Outside of the handler, which would otherwise stay open on this OS thread while others run.
    if (error) {
      error_ = error;
      error = nullptr;
      Fiber::switch_to(fiber, main_);
    }
    Thread* next = pick();
    if (next != nullptr && next->fiber == nullptr) {
      next->fiber = &fiber;
      enter(*next);
      continue;
    }
    idle_.push_back(&fiber);
    go_on(fiber, next);
  }
}

void Gang::leave(Thread& thread) {
  Warp& warp = *thread.warp;
  Block& block = *warp.block;
  thread.state = Thread::State::kExited;
  thread.fiber = nullptr;
  warp.live &= ~thread.lane_bit();
  tensor_cores_.on_thread_exit(thread);
  tma_.on_thread_exit(thread);
  copies_.on_thread_exit(thread);
  --block.live_threads;
  --live_threads_;
  if (block.live_threads == 0) tma_.on_block_exit(block);
  if (warp.live == 0 && trace_) trace_->warp_met(warp);
  warp.meeting.on_exit(warp);
  block.barrier.on_exit(block);
  cluster_barrier_.on_exit(thread);
}

void Gang::wait(Thread& thread, Waitable& on, Site where) {
  thread.state = Thread::State::kWaiting;
  thread.wait = {&on, where};
  thread.next_waiter = nullptr;
  (on.last_ != nullptr ? on.last_->next_waiter : on.first_) = &thread;
  on.last_ = &thread;
  Thread* next = pick();
  if (next == &thread) return enter(thread);
  go_on(*thread.fiber, next);
}

void Gang::wake(Waitable& waitable) {
  Thread* thread = waitable.first_;
  waitable.first_ = waitable.last_ = nullptr;
  for (; thread != nullptr; thread = thread->next_waiter) make_ready(*thread);
}

void Gang::reset_fibers() {
  idle_.clear();
  for (auto& fiber : fibers_) {
    prepare(*fiber);
    idle_.push_back(fiber.get());
  }
}

bool Gang::in_stack_guard(const void* address) const {
  return std::any_of(fibers_.begin(), fibers_.end(),
                     [&](const auto& fiber) { return fiber->guard_holds(address); });
}

}  // namespace runtime

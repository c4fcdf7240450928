#pragma once
// The scheduler. A gang is what must run side by side: one block, or the blocks of a cluster. Its
// threads are fibers on one OS thread; each runs until it waits, so a run is repeatable.

#include <runtime/copies.hpp>
#include <runtime/counters.hpp>
#include <runtime/current.hpp>
#include <runtime/fiber.hpp>
#include <runtime/settings.hpp>
#include <runtime/wgmma.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

namespace runtime {

class Tracer;

// One grid, as launched. `body(arguments)` runs the kernel for the calling thread.
struct Grid {
  dim3 blocks;
  dim3 threads;
  dim3 cluster;
  std::size_t dynamic_smem = 0;
  bool overlapped = false;  // on a GPU it may begin before the grid before it is done
  void (*body)(const void* arguments) = nullptr;
  const void* arguments = nullptr;

  unsigned blocks_per_gang() const { return cluster.x * cluster.y * cluster.z; }
  std::uint64_t gangs() const {
    return std::uint64_t{blocks.x} * blocks.y * blocks.z / blocks_per_gang();
  }
  unsigned threads_per_block() const { return threads.x * threads.y * threads.z; }
};

class Gang {
 public:
  Gang();
  ~Gang();

  // Forgets whatever stands on the fibers' stacks, without unwinding. Also needed before another OS
  // thread takes the gang over: suspended code may hold addresses of thread-local variables.
  void reset_fibers();

  // Runs gang `number` of the grid on the calling OS thread. True: to its end. False: until all
  // wait for semaphores that other blocks must set. Throws what a thread threw, or the deadlock
  // report.
  bool run(const Grid& grid, std::uint64_t number, const Policy& policy);
  // Goes on with a gang whose run() returned false, on the same OS thread.
  bool resume();
  bool can_resume() const { return semaphores_.can_go_on(); }
  std::uint64_t number() const { return number_; }

  // Called by the running thread: gives way until somebody wakes this waitable's waiters.
  void wait(Thread& thread, Waitable& on, Site where);
  void wake(Waitable& waitable);  // all of its waiters

  std::vector<Block>& blocks() { return blocks_; }
  unsigned live_threads() const { return live_threads_; }
  std::uint64_t steps() const { return steps_; }  // how often a thread has had its turn

  CopyGroups& copies() { return copies_; }
  Tma& tma() { return tma_; }
  TensorCores& tensor_cores() { return tensor_cores_; }
  ClusterBarrier& cluster_barrier() { return cluster_barrier_; }
  SemaphoreWaits& semaphores() { return semaphores_; }
  Timing& timing() { return timing_; }
  unsigned elected_lane() const { return elected_lane_; }
  std::size_t stack_bytes() const { return stack_bytes_; }
  std::size_t stacks() const { return fibers_.size(); }
  Counts& work() { return work_; }
  Tracer* trace() { return trace_.get(); }
  bool shared_holds(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(arena_) < kSharedWindow * blocks_.size();
  }

  // Is this an address just below one of the fibers' stacks?
  bool in_stack_guard(const void* address) const;

 private:
  void set_up(const Grid& grid, std::uint64_t number);
  bool go();
  void make_ready(Thread& thread);
  Thread* pick();
  Thread* choose();
  Warp* next_warp();
  bool lags(const Warp& warp) const { return warp.number / 4 == lagging_; }
  void enter(Thread& thread);
  void go_on(Fiber& from, Thread* next);
  void prepare(Fiber& fiber);
  Fiber& idle_fiber();
  void thread_loop(Fiber& fiber);
  void leave(Thread& thread);

  const Grid* grid_ = nullptr;
  std::uint64_t number_ = 0;
  std::vector<Block> blocks_;
  std::byte* arena_ = nullptr;  // kSharedWindow bytes per block
  std::size_t arena_blocks_ = 0;

  std::size_t stack_bytes_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Fiber main_;

  // Warps with ready lanes, as a ring; the running one is not in it.
  std::vector<Warp*> queue_;
  std::size_t queue_head_ = 0, queue_count_ = 0;
  Warp* running_ = nullptr;
  unsigned live_threads_ = 0;
  std::exception_ptr error_;

  Dice dice_;
  Counts work_;
  std::uint64_t steps_ = 0;
  unsigned elected_lane_ = 0;
  unsigned lagging_ = 0;  // under the random policy: which four warps hardly get their turn

  Timing timing_;
  CopyGroups copies_;
  Tma tma_;
  TensorCores tensor_cores_;
  ClusterBarrier cluster_barrier_;
  SemaphoreWaits semaphores_;
  std::unique_ptr<Tracer> trace_;
};

// Runs the whole grid before it returns: its gangs go to OS threads in their order. Throws what
// went wrong in the gang with the lowest number, however many workers there are; gangs after it may
// not have run.
void run_grid(const Grid& grid);

// The gang of the running thread; core::DeviceError outside a kernel.
inline Gang& running_gang(const char* word) {
  return *running_thread(word).warp->block->gang;
}

}  // namespace runtime

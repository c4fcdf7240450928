#pragma once
// The threads, warps and blocks that are in flight, which of them is running, and the checks of
// addresses.

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>
#include <runtime/mbarrier.hpp>
#include <runtime/memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace runtime {

class Fiber;
class Gang;
struct Block;
struct Warp;

inline constexpr unsigned kWarpSize = 32;

struct Thread {
  enum class State : std::uint8_t { kReady, kWaiting, kExited };

  uint3 index;
  State state = State::kReady;
  unsigned number = 0;  // within the block, x fastest
  Warp* warp = nullptr;
  Fiber* fiber = nullptr;  // where it stands; null until it has begun
  Wait wait;               // while kWaiting
  Thread* next_waiter = nullptr;
  bool prior_grid_done = true;       // or this thread has not waited for it yet
  std::uint32_t proxy_fences = 0;    // see Shadow
  unsigned store_groups = 0;         // of TMA stores, committed
  std::uint32_t cluster_phase = 0;   // of the cluster's barrier: phases below have its arrival,
  std::uint32_t cluster_waited = 0;  // and these it has waited for

  bool cluster_arrived() const { return cluster_phase > cluster_waited; }
  unsigned lane() const { return number % kWarpSize; }
  std::uint32_t lane_bit() const { return 1u << lane(); }
};

struct Warp {
  Block* block = nullptr;
  Thread* lanes = nullptr;  // the first of up to 32 neighbours
  unsigned number = 0;      // within the gang
  std::uint32_t live = 0;   // lanes that exist and have not exited
  std::uint32_t ready = 0;  // lanes that could run now
  bool queued = false;
  int registers = 0;  // as setmaxnreg has said; 0: as launched
  WarpMeeting meeting;
};

struct Block {
  Gang* gang = nullptr;
  uint3 index;
  unsigned rank = 0;          // within the gang
  unsigned live_threads = 0;  // not exited
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  BlockBarrier barrier;
  std::array<NamedBarrier, 16> named_barriers;
  SharedMemory shared_memory;
  Shadow shadow;
  Mbarriers mbarriers;
};

struct Current {
  Thread* thread = nullptr;  // null outside kernels
  Block* block = nullptr;
  Gang* gang = nullptr;
  MemoryView memory;
  std::uint64_t fmas = 0;  // of the running gang; traced kernels count them
};
inline constinit thread_local Current current;

// kCopy: by cp.async, which reads global and writes shared memory.
enum class Access : std::uint8_t { kLoad, kStore, kCopy, kArrive };

// The slow half of the checks below: finds the allocation, or throws core::DeviceError.
void check_global_slowly(std::uintptr_t address, std::size_t bytes, Access access, Site where);
[[noreturn]] void refuse_dynamic_size(std::size_t bytes, Site where);
[[noreturn]] void refuse_shared(std::uintptr_t address, std::size_t bytes, Access access,
                                Site where);
[[noreturn]] void refuse_before_prior_grid(Site where);

// An access to global memory by a grid that may begin before the one before it is done: the thread
// must have waited for it.
inline void check_prior_grid(Site where) {
  if (current.thread != nullptr && !current.thread->prior_grid_done) {
    refuse_before_prior_grid(where);
  }
}

// An access of `bytes` (a power of two) by a word: naturally aligned, and wholly within one live
// allocation. Otherwise core::DeviceError, naming the place, the block and the thread.
inline void check_global(const void* pointer, std::size_t bytes, Access access, Site where) {
  check_prior_grid(where);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool aligned = (address & (bytes - 1)) == 0;
  if (aligned && current.memory.holds_recently(address, bytes)) return;
  check_global_slowly(address, bytes, access, where);
}

// The same for `bytes` from an address that is aligned to `alignment`.
void check_global_range(const void* pointer, std::size_t alignment, std::size_t bytes, Site where);

// The same for the running block's shared memory.
inline void check_shared(const void* pointer, std::size_t bytes, Access access, Site where) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const bool aligned = (address & (bytes - 1)) == 0;
  if (aligned && current.block != nullptr && current.block->shared_memory.holds(address, bytes))
    return;
  refuse_shared(address, bytes, access, where);
}

// Tells the shadow of the block's shared memory about an access by the thread that has been
// checked. core::DeviceError when an asynchronous operation still works on these bytes.
void note_shared(Thread& thread, const void* pointer, std::uint32_t bytes, Access access,
                 Site where);

// For intrinsics that make no sense outside a kernel: the running thread, or core::DeviceError.
Thread& running_thread(const char* word);

// For intrinsics in traced kernels: the access they are about to make, at the call's own place.
void trace_word(const void* address, std::size_t bytes, Access kind, bool active, Site where);

// One gpu::fma of a traced kernel.
void count_fma();

void untraced_copy(void* to, const void* from, std::size_t bytes);

}  // namespace runtime

#pragma once
// The threads, warps and blocks that are in flight, and the notion of waiting they share.

#include <runtime/builtins.hpp>
#include <runtime/collectives.hpp>
#include <runtime/mbarrier.hpp>
#include <runtime/shared_memory.hpp>
#include <runtime/site.hpp>

#include <array>
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

}  // namespace runtime

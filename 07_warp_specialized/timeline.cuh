#pragma once
// Who does what when, written down by the kernel itself; nothing at all unless it is asked for.

#include <gpu/clock.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace warp_specialized {

enum class Event : std::uint32_t { kWaitEmpty, kLoad, kWaitFull, kMultiply, kStore };

struct NoRecorder {
  __device__ NoRecorder of(int /*role*/) const { return {}; }
  __device__ void begin(Event) {}
  __device__ void end() {}
};

// One block's notes, of the first kCapacity events of each role. The first thread of a role writes.
struct Recorder {
  static constexpr int kCapacity = 4096, kRoles = 4;

  struct Note {
    std::uint64_t begin, end;  // cycles of the SM; on the CPU backend turns of threads
    Event event;
    std::uint32_t count;  // notes of the role, in its first note
  };
  Note* notes = nullptr;  // (kRoles, kCapacity)
  int block = 0;          // the one that is watched
  int next = 0;
  bool writes = false;

  __device__ Recorder of(int role) const {
    Recorder mine = *this;
    mine.notes += role * kCapacity;
    const bool first = role == 0 || threadIdx.x % 128 == 0;  // the producer is one thread already
    mine.writes = first && static_cast<int>(blockIdx.x) == block;
    return mine;
  }
  __device__ void begin(Event event) {
    if (!writes || next == kCapacity) return;
    notes[next].event = event;
    notes[next].begin = gpu::clock_cycles();
  }
  __device__ void end() {
    if (!writes || next == kCapacity) return;
    notes[next].end = gpu::clock_cycles();
    notes->count = static_cast<std::uint32_t>(++next);
  }
};

}  // namespace warp_specialized

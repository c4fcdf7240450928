#pragma once
// Notes of what the threads of a block wait for and bring, for timelines.

#include <runtime/gang.hpp>

#include <cstdint>
#include <vector>

namespace runtime {

struct Happening {
  enum Kind : std::uint8_t { kWait, kPhase, kLoad, kCommit, kRetire };
  static constexpr unsigned kNobody = ~0u;

  Kind kind;
  unsigned thread;           // that did it, by its number in the block; or kNobody
  std::uint32_t barrier;     // offset in shared memory; of kRetire: groups of copies
  std::uint64_t phase;       // of the barrier: waited for, completed, brought
  std::uint64_t begin, end;  // in turns of threads
};

// Where they go: those of block 0 of the first grid that has any. Null: nowhere.
inline std::vector<Happening>* happenings = nullptr;

inline void note(const Block& block, Happening::Kind kind, std::uint32_t barrier,
                 std::uint64_t phase, std::uint64_t begin) {
  if (happenings == nullptr || block.gang->number() != 0 || block.rank != 0) return;
  const bool own = current.thread != nullptr && current.thread->warp->block == &block;
  const unsigned thread = own ? current.thread->number : Happening::kNobody;
  happenings->push_back({kind, thread, barrier, phase, begin, block.gang->steps()});
}

}  // namespace runtime

#pragma once
// Notes of what the threads of a block wait for and bring, for timelines.

#include <runtime/gang.hpp>

#include <cstdint>
#include <vector>

namespace runtime {

struct Happening {
  enum Kind : std::uint8_t {
    kWait,
    kPhase,
    kLoad,
    kCommit,
    kRetire,
    // For the running example:
    kBlocked,     // a wait begins that does not end at once
    kMultiply,    // a group of wgmmas is committed; `phase`: its number
    kMultiplied,  // groups have been waited for; `phase`: how many so far
    kStore        // a TMA store is issued
  };
  static constexpr unsigned kNobody = ~0u;

  Kind kind;
  unsigned thread;           // that did it, by its number in the block; or kNobody
  std::uint32_t barrier;     // offset in shared memory; of kRetire: groups of copies
  std::uint64_t phase;       // of the barrier: waited for, completed, brought
  std::uint64_t begin, end;  // in turns of threads
  std::uint64_t block;       // by its number in the grid
};

// Where they go: those of the first grid that has any, of so many of its blocks; of more than one
// gang's by one worker. Null: nowhere.
inline std::vector<Happening>* happenings = nullptr;
inline std::uint64_t noted_blocks = 1;

inline void note(const Block& block, Happening::Kind kind, std::uint32_t barrier,
                 std::uint64_t phase, std::uint64_t begin) {
  if (happenings == nullptr) return;
  const std::uint64_t number = block.gang->number() * block.gang->blocks().size() + block.rank;
  if (number >= noted_blocks) return;
  const bool own = current.thread != nullptr && current.thread->warp->block == &block;
  const unsigned thread = own ? current.thread->number : Happening::kNobody;
  happenings->push_back({kind, thread, barrier, phase, begin, block.gang->steps(), number});
}

}  // namespace runtime

#pragma once
// Clocks for timelines. Here time is the number of turns that threads have had.

#include <runtime/gang.hpp>

#include <gpu/host.hpp>

#include <cstdint>

namespace gpu {

inline std::uint64_t clock_cycles(Site = Site::current()) {
  return runtime::running_gang("clock_cycles").steps();
}
inline std::uint64_t clock_nanoseconds(Site = Site::current()) {
  return runtime::running_gang("clock_nanoseconds").steps();
}

// The multiprocessor that this block runs on: blocks are handed out in turn here.
inline int sm_index(Site = Site::current()) {
  const runtime::Block& block = *runtime::running_thread("sm_index").warp->block;
  const std::uint64_t first = block.gang->number() * block.gang->blocks().size();
  return static_cast<int>((first + block.rank) % static_cast<std::uint64_t>(sm_count()));
}

}  // namespace gpu

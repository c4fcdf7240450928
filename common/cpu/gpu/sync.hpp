#pragma once
// One lane out of a warp, barriers of part of a block, and the fence between ordinary accesses and
// asynchronous ones.

#include <runtime/gang.hpp>

#include <bit>
#include <cstdint>

namespace gpu {

// True in one lane of the warp (PTX elect.sync): lane 0, or one drawn from the seed under the
// random policy; where that lane does not exist or has exited, the lowest that is there. Call it
// with the whole warp.
inline bool elect_one(Site where = Site::current()) {
  const std::uint32_t present = runtime::meet_warp("elect_one", where).present;
  const unsigned drawn = runtime::current.gang->elected_lane();
  const unsigned elected = (present >> drawn & 1) != 0 ? drawn : std::countr_zero(present);
  return runtime::current.thread->lane() == elected;
}

// PTX bar.sync id, threads: waits until `threads` threads (a multiple of 32) have come to barrier
// `id`, 0 to 15, by this word or the next.
inline void barrier_sync(int id, int threads, Site where = Site::current()) {
  runtime::named_barrier(id, threads, true, where);
}

// PTX bar.arrive id, threads: counts, and does not wait.
inline void barrier_arrive(int id, int threads, Site where = Site::current()) {
  runtime::named_barrier(id, threads, false, where);
}

// PTX fence.proxy.async: what this thread has written by ordinary stores may now be read by TMA and
// wgmma, once a barrier has told them.
inline void fence_proxy_async(Site = Site::current()) {
  ++runtime::running_thread("fence_proxy_async").proxy_fences;
}
// The same for shared memory alone.
inline void fence_proxy_async_shared(Site = Site::current()) {
  fence_proxy_async();
}

}  // namespace gpu

// Bugs in what follows a load: wgmma, release, store.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::fences() {
  return {
      hopper<Bug::kReleaseInFlight>("release_in_flight", "a stage is released before wgmma_wait"),
      hopper<Bug::kReleaseLiveStage>(
          "release_live_stage", "wgmma_wait<1>, then the stage of this very iteration is released"),
      hopper<Bug::kNoWgmmaFence>("no_wgmma_fence", "no wgmma_fence() before the first wgmma"),
      hopper<Bug::kAccumulatorReadEarly>("accumulator_read_early",
                                         "the epilogue reads accumulators before wgmma_wait<0>"),
      hopper<Bug::kNoStoreWait>("no_store_wait",
                                "the staging buffer is rewritten without tma_store_wait_read"),
      hopper<Bug::kNoStoreWaitAtExit>("no_store_wait_at_exit",
                                      "the kernel ends with a TMA store under way"),
      hopper<Bug::kNoProxyFence>("no_proxy_fence",
                                 "stmatrix, then a TMA store, without fence_proxy_async"),
  };
}

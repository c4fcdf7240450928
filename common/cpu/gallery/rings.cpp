// Bugs in the waits of a ring, and in what follows a load: wgmma, release, store.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::rings() {
  return {
      hopper<Bug::kNoFullWait>("no_full_wait", "consumers do not wait for the tiles"),
      hopper<Bug::kNoEmptyWait>("no_empty_wait", "the producer does not wait for a free stage"),
      hopper<Bug::kEmptyParity>("empty_parity",
                                "the producer waits for a free stage with the wrong parity"),
      hopper<Bug::kFullParity>("full_parity", "consumers wait for tiles with the wrong parity"),
      hopper<Bug::kExpectTooFew>("expect_too_few",
                                 "arrive_and_expect is told the bytes of A's tile alone"),
      hopper<Bug::kExpectTooMany>("expect_too_many",
                                  "arrive_and_expect is told one row more than is loaded"),
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

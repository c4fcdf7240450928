#pragma once
// The bugs of the gallery: each is one line left out of, or changed in, a kernel that is right.

namespace gallery {

enum class Bug {
  kNone,
  // The warp-specialised kernel (hopper.cuh).
  kSwizzleMode,           // the descriptors say 64-byte, the tensor maps 128-byte
  kNoFullWait,            // consumers do not wait for the tiles
  kNoEmptyWait,           // the producer does not wait for a free stage
  kEmptyParity,           // the producer waits for the wrong parity
  kFullParity,            // the consumers do
  kExpectTooFew,          // expect_tx: only A's bytes
  kExpectTooMany,         // expect_tx: a row too many
  kReleaseInFlight,       // the stage is released before wgmma_wait
  kReleaseLiveStage,      // wgmma_wait<1>, then the stage of this very iteration is released
  kNoWgmmaFence,          // no wgmma_fence()
  kAccumulatorReadEarly,  // the epilogue reads accumulators before wgmma_wait
  kNoStoreWait,           // the staging buffer is rewritten without tma_store_wait_read
  kNoStoreWaitAtExit,     // the kernel ends with a TMA store under way
  kNoProxyFence,          // stmatrix, then a TMA store, without fence_proxy_async
  kUnalignedTile,         // the stages start 512 bytes into a swizzle's pattern
  kStrides,               // LBO and SBO swapped
  kFourProducers,         // elect_one() in each warp of the producer's warpgroup
  kArrivalCount,          // empty barriers for one consumer instead of two
  kPeerLeavesEarly,       // no cluster_sync() at the end
  kMulticastMask,         // B goes to this block only
  kClusterArrivals,       // empty barriers without the factor of the cluster's size
  // A from registers (register_a.cuh).
  kRegistersRewritten,  // A's registers rewritten while a wgmma reads them
  kRegistersUnfenced,   // rewritten after the wait, without a fence behind it
  // The Ampere kernel (ampere.cuh).
  kNoCopyWait,     // no cp_async_wait
  kCommitInIf,     // cp_async_commit inside the `if` that guards the load
  kNoSyncBefore,   // no __syncthreads() between the wait and the reads
  kNoSyncAfter,    // none between the reads and the next load into the stage
  kLdmatrixRow,    // lanes 8-15 and 16-23 supply each other's rows
  kCopyUnaligned,  // a 16-byte copy to an address that is a multiple of 8
};

}  // namespace gallery

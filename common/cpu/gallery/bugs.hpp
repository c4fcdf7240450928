#pragma once
// The bugs of the gallery: each is one line left out of, or changed in, a kernel that is right.

namespace gallery {

// What each is, the exhibits say.
enum class Bug {
  kNone,
  // The warp-specialised kernel (hopper.cuh); the last three in clusters.
  kSwizzleMode,
  kNoFullWait,
  kNoEmptyWait,
  kEmptyParity,
  kFullParity,
  kExpectTooFew,
  kExpectTooMany,
  kReleaseInFlight,
  kReleaseLiveStage,
  kNoWgmmaFence,
  kAccumulatorReadEarly,
  kNoStoreWait,
  kNoStoreWaitAtExit,
  kNoProxyFence,
  kUnalignedTile,
  kStrides,
  kFourProducers,
  kArrivalCount,
  kPeerLeavesEarly,
  kMulticastMask,
  kClusterArrivals,
  // A from registers (register_a.cuh).
  kRegistersRewritten,
  kRegistersUnfenced,
  // The Ampere kernel (ampere.cuh).
  kNoCopyWait,
  kCommitInIf,
  kNoSyncBefore,
  kNoSyncAfter,
  kLdmatrixRow,
  kCopyUnaligned,
};

}  // namespace gallery

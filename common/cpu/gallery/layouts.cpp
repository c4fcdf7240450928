// Bugs in layouts, in who takes part and between blocks of a cluster, and those of the small
// kernels.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::layouts() {
  return {
      hopper<Bug::kSwizzleMode>("swizzle_mode",
                                "matrix descriptors say 64-byte swizzle, tensor maps 128-byte"),
      hopper<Bug::kUnalignedTile>("unaligned_tile",
                                  "tiles start 512 bytes into the swizzle's 1024-byte pattern"),
      hopper<Bug::kStrides>("strides", "LBO and SBO of the matrix descriptors swapped"),
      hopper<Bug::kFourProducers>("four_producers",
                                  "elect_one() in all four warps of the producer's warpgroup"),
      hopper<Bug::kArrivalCount>("arrival_count",
                                 "empty barriers made for one consumer instead of two"),
      hopper<Bug::kPeerLeavesEarly, 2>("peer_leaves_early", "no cluster_sync() at the end"),
      hopper<Bug::kMulticastMask, 2>("multicast_mask",
                                     "each block's half of B goes to that block alone"),
      hopper<Bug::kClusterArrivals, 2>("cluster_arrivals",
                                       "empty barriers made for one block's consumers, not both's"),
      register_a<Bug::kRegistersRewritten>("registers_rewritten",
                                           "A's registers are rewritten while a wgmma reads them"),
      register_a<Bug::kRegistersUnfenced>(
          "registers_unfenced", "A's registers are rewritten without wgmma_fence() behind it"),
      ampere<Bug::kNoCopyWait>("no_copy_wait", "no cp_async_wait"),
      ampere<Bug::kCommitInIf>("commit_in_if",
                               "cp_async_commit inside the if that guards the load"),
      ampere<Bug::kNoSyncBefore>("no_sync_before",
                                 "no __syncthreads() between cp_async_wait and the reads"),
      ampere<Bug::kNoSyncAfter>("no_sync_after",
                                "no __syncthreads() between the reads and the next load"),
      ampere<Bug::kLdmatrixRow>("ldmatrix_row",
                                "lanes 8-15 and 16-23 name each other's rows to ldmatrix"),
      ampere<Bug::kCopyUnaligned>("copy_unaligned", "a 16-byte cp_async to a multiple of 8 bytes"),
  };
}

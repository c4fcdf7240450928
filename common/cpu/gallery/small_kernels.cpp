// The ampere and register_a kernels with bugs.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::small_kernels() {
  return {
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

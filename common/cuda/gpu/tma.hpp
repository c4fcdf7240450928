#pragma once
// The tensor memory accelerator: copies of boxes of a tensor between global and shared memory, by
// one instruction (PTX cp.async.bulk.tensor, compute capability 9.0).
//
// One thread calls each word, for the whole block; every thread that calls starts a copy of its
// own. Coordinates are in elements, innermost first, and may lie outside the tensor; their number,
// 2 to 5, must be the map's rank, or the instruction faults. The map is a kernel parameter, `const
// __grid_constant__ gpu::TensorMap`.

#include <gpu/address.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>

#include <cstdint>

namespace gpu {

// How long the L2 should keep what a store writes: an operand of createpolicy, as the compiler
// encodes them for whole accesses.
struct CachePolicy {
  std::uint64_t bits;
};
inline constexpr CachePolicy kEvictNormal{0x1000000000000000};
inline constexpr CachePolicy kEvictFirst{0x12F0000000000000};

// PTX cp.async.bulk.tensor: copies the box of `map` that starts at the coordinates `at` into shared
// memory, laid out as its swizzle says. `full` is then told the box's bytes, all of them even where
// part of the box lies outside the tensor and reads as zeros: the caller has expected as many with
// arrive_and_expect() or expect(). `smem` is a multiple of 128 bytes, with a swizzle of its
// pattern's size.
template <int kRank>
__device__ void tma_load(void* smem, const TensorMap& map, const int (&at)[kRank], Mbarrier& full) {
  static_assert(kRank >= 2 && kRank <= 5, "TMA moves boxes of 2 to 5 dimensions");
  const std::uint32_t to = detail::shared_address(smem);
  const std::uint32_t barrier = detail::shared_address(&full);
  if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1])
        : "memory");
  } else if constexpr (kRank == 3) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2])
        : "memory");
  } else if constexpr (kRank == 4) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
        : "memory");
  }
}

// PTX cp.async.bulk.tensor with .multicast::cluster: one read, delivered to each block of the
// cluster whose bit is set in `cta_mask` (bit r: cluster_rank() r), at the same place in its shared
// memory as `smem` here, and reported to the same barrier there. Each of these blocks expects the
// bytes to its own barrier, and must have the place free: the sender has to know, by an
// arrive_remote() of each receiver.
template <int kRank>
__device__ void tma_load_multicast(void* smem, const TensorMap& map, const int (&at)[kRank],
                                   Mbarrier& full, unsigned cta_mask) {
  static_assert(kRank >= 2 && kRank <= 5, "TMA moves boxes of 2 to 5 dimensions");
  const std::uint32_t to = detail::shared_address(smem);
  const std::uint32_t barrier = detail::shared_address(&full);
  const auto mask = static_cast<std::uint16_t>(cta_mask);
  if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "h"(mask)
        : "memory");
  } else if constexpr (kRank == 3) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2]), "h"(mask)
        : "memory");
  } else if constexpr (kRank == 4) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "h"(mask)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4, %5, %6, %7}], [%2], %8;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]),
        "h"(mask)
        : "memory");
  }
}

// PTX cp.async.bulk.tensor, the way back: copies a box from shared memory into the tensor, without
// the parts that lie outside it. Threads that wrote the box by ordinary stores call
// fence_proxy_async_shared() first, then a barrier; otherwise stale bytes may be stored. Followed
// by tma_store_commit() and a wait in the same thread. `policy` is its .L2::cache_hint.
template <int kRank>
__device__ void tma_store(const TensorMap& map, const int (&at)[kRank], const void* smem,
                          CachePolicy policy = kEvictNormal) {
  static_assert(kRank >= 2 && kRank <= 5, "TMA moves boxes of 2 to 5 dimensions");
  const std::uint32_t from = detail::shared_address(smem);
  if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
        ".L2::cache_hint [%1, {%2, %3}], [%0], %4;" ::"r"(from),
        "l"(&map), "r"(at[0]), "r"(at[1]), "l"(policy.bits)
        : "memory");
  } else if constexpr (kRank == 3) {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
        ".L2::cache_hint [%1, {%2, %3, %4}], [%0], %5;" ::"r"(from),
        "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "l"(policy.bits)
        : "memory");
  } else if constexpr (kRank == 4) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group"
        ".L2::cache_hint [%1, {%2, %3, %4, %5}], [%0], %6;" ::"r"(from),
        "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "l"(policy.bits)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group"
        ".L2::cache_hint [%1, {%2, %3, %4, %5, %6}], [%0], %7;" ::"r"(from),
        "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "l"(policy.bits)
        : "memory");
  }
}

// PTX cp.async.bulk.commit_group: this thread's stores since its last commit become one group.
__device__ inline void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// PTX cp.async.bulk.wait_group: waits until at most the kPending most recent of this thread's
// groups are not complete, that is, written to global memory.
template <int kPending>
__device__ void tma_store_wait() {
  static_assert(kPending >= 0);
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

// PTX cp.async.bulk.wait_group.read: the same, but a group counts as done once its shared memory
// has been read and may be overwritten. With 0 it is also the least that must precede the block's
// exit.
template <int kPending>
__device__ void tma_store_wait_read() {
  static_assert(kPending >= 0);
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// PTX prefetch.tensormap: fetches the map itself ahead of its first use.
__device__ inline void prefetch_tensor_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// PTX cp.async.bulk.prefetch.tensor: brings a box into the L2. Nothing waits for it.
template <int kRank>
__device__ void tma_prefetch(const TensorMap& map, const int (&at)[kRank]) {
  static_assert(kRank >= 2 && kRank <= 5, "TMA moves boxes of 2 to 5 dimensions");
  if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile "
        "[%0, {%1, %2}];" ::"l"(&map),
        "r"(at[0]), "r"(at[1])
        : "memory");
  } else if constexpr (kRank == 3) {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.3d.L2.global.tile "
        "[%0, {%1, %2, %3}];" ::"l"(&map),
        "r"(at[0]), "r"(at[1]), "r"(at[2])
        : "memory");
  } else if constexpr (kRank == 4) {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.4d.L2.global.tile "
        "[%0, {%1, %2, %3, %4}];" ::"l"(&map),
        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3])
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.5d.L2.global.tile "
        "[%0, {%1, %2, %3, %4, %5}];" ::"l"(&map),
        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
        : "memory");
  }
}

}  // namespace gpu

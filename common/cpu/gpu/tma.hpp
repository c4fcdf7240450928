#pragma once
// Boxes of a tensor between global and shared memory (PTX cp.async.bulk.tensor, compute capability
// 9.0). One thread calls. Coordinates are in elements, innermost first; what lies outside of the
// tensor is loaded as zeros and not stored. The tile in shared memory starts at a multiple of 128
// bytes, of 256, 512 and 1024 with a 32-, 64- and 128-byte swizzle.

#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>

#include <runtime/gang.hpp>

#include <cstdint>

namespace gpu {

// How the L2 treats the lines that a store writes.
struct CachePolicy {
  std::uint64_t bits;
};
inline constexpr CachePolicy kEvictNormal{0x1000000000000000};
inline constexpr CachePolicy kEvictFirst{0x12F0000000000000};

// The box arrives some time later, and its bytes at `full` with it.
template <int kRank>
void tma_load(void* smem, const TensorMap& map, const int (&at)[kRank], Mbarrier& full,
              Site where = Site::current()) {
  runtime::running_gang("tma_load")
      .tma()
      .load(map, at, kRank, smem, &full, 1u << runtime::current.block->rank, "tma_load", where);
}

// The same box for every block of the cluster whose bit is set in `cta_mask`, at the same place of
// its shared memory, its bytes counted by the same barrier of its own.
template <int kRank>
void tma_load_multicast(void* smem, const TensorMap& map, const int (&at)[kRank], Mbarrier& full,
                        unsigned cta_mask, Site where = Site::current()) {
  runtime::running_gang("tma_load_multicast")
      .tma()
      .load(map, at, kRank, smem, &full, cta_mask, "tma_load_multicast", where);
}

// From shared to global memory. Everything that was written to the tile needs fence_proxy_async()
// by its writer and then a barrier before.
template <int kRank>
void tma_store(const TensorMap& map, const int (&at)[kRank], const void* smem,
               CachePolicy = kEvictNormal, Site where = Site::current()) {
  runtime::running_gang("tma_store").tma().store(map, at, kRank, smem, where);
}

// Makes a group of this thread's stores since the last one.
inline void tma_store_commit(Site = Site::current()) {
  runtime::running_gang("tma_store_commit").tma().commit_stores();
}

// Returns when at most kPending of this thread's latest groups are under way: altogether, or as far
// as shared memory is concerned, which may then be overwritten.
template <int kPending>
void tma_store_wait(Site = Site::current()) {
  runtime::running_gang("tma_store_wait").tma().wait_for_stores(kPending);
}
template <int kPending>
void tma_store_wait_read(Site = Site::current()) {
  runtime::running_gang("tma_store_wait_read").tma().wait_for_stores(kPending);
}

// Hints that bring the map, or a box, closer. Nothing happens here.
inline void prefetch_tensor_map(const TensorMap&, Site = Site::current()) {}
template <int kRank>
void tma_prefetch(const TensorMap&, const int (&)[kRank], Site = Site::current()) {}

}  // namespace gpu

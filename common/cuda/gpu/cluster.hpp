#pragma once
// Blocks of one cluster: they run at the same time and reach each other's shared memory (compute
// capability 9.0).

#include <core/numeric.hpp>
#include <gpu/host.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>

#include <cstdint>

namespace gpu {

// PTX %cluster_ctarank: 0 .. cluster_size() - 1, x fastest. 0 in a launch without clusters.
__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// PTX %cluster_nctarank: blocks in the cluster. 1 in a launch without clusters.
__device__ inline unsigned cluster_size() {
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

// PTX barrier.cluster.arrive.release.aligned: comes to the cluster's barrier without waiting. Every
// thread of every block arrives once, whole warps together, and then waits once with
// cluster_wait(); two arrivals in a row are undefined. What was written before is seen by the
// others after their wait.
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// PTX barrier.cluster.arrive.relaxed.aligned: the same without ordering any memory access. Enough
// where the barrier only says "I have not exited" or "I have started".
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// PTX barrier.cluster.wait.acquire.aligned: waits until all threads of the cluster have arrived.
// Every thread that arrived calls, whole warps together.
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A barrier among all threads of the cluster. One of its uses is before a block exits: others may
// still reach into its shared memory, which is gone afterwards.
__device__ inline void cluster_sync() {
  cluster_arrive();
  cluster_wait();
}

// PTX mapa: the same object in block `rank` of the cluster, by a pointer that may be dereferenced.
// Its block must have started (cluster_sync() first) and must not have exited. One thread, for
// itself.
template <class T>
__device__ T* map_shared(T* shared, unsigned rank) {
  std::uint64_t mapped;
  asm volatile("mapa.u64 %0, %1, %2;"
               : "=l"(mapped)
               : "l"(reinterpret_cast<std::uint64_t>(shared)), "r"(rank));
  return reinterpret_cast<T*>(mapped);
}

// PTX mapa and a load from it: N elements that lie at `shared`, but in block `rank`; one access, as
// <gpu/memory.hpp> has them.
template <int N, class T>
__device__ core::AlignedVector<T, N> load_cluster(T* shared, unsigned rank) {
  return *reinterpret_cast<const core::AlignedVector<T, N>*>(map_shared(shared, rank));
}

// PTX st.async: four floats go to the place of `shared` in block `rank`, some time later, and their
// 16 bytes count at its barrier `full`, which has to expect them. In a cluster of one block it is an
// illegal instruction. Both blocks must have started and `full` be initialised; that one must not
// exit before they have come. One thread, for itself.
__device__ inline void store_async(float* shared, const core::AlignedVector<float, 4>& value,
                                   Mbarrier& full, unsigned rank) {
  std::uint32_t to, barrier;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(to)
      : "r"(detail::shared_address(shared)), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(barrier)
      : "r"(detail::shared_address(&full)), "r"(rank));
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(to),
      "f"(value[0]), "f"(value[1]), "f"(value[2]), "f"(value[3]), "r"(barrier)
      : "memory");
}

// Clusters of this shape that the device holds at once; a persistent kernel launches no more.
// shape.grid is not looked at. Not simply SMs / blocks: clusters do not straddle the groups of SMs
// (GPCs), whose sizes differ from board to board. Throws core::DeviceError.
template <class... Params>
int max_active_clusters(void (*kernel)(Params...), const LaunchShape& shape) {
  LaunchShape one = launch_shape(kernel, shape);
  int count = 0;
  if (detail::blocks(shape.cluster) > 1) {
    one.grid = shape.cluster;
    const detail::LaunchConfig launch(one, Stream{});
    check(cudaOccupancyMaxActiveClusters(&count, kernel, &launch.config),
          "cudaOccupancyMaxActiveClusters");
    return count;
  }
  const int threads = static_cast<int>(one.block.x * one.block.y * one.block.z);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads, one.dynamic_smem),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return count * sm_count();
}

}  // namespace gpu

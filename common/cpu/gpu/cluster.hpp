#pragma once
// Blocks that run side by side and reach into each other's shared memory (compute capability 9.0).

#include <gpu/host.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>

#include <core/numeric.hpp>

#include <runtime/gang.hpp>

namespace gpu {

// This block's number in its cluster, and how many there are.
inline unsigned cluster_rank(Site = Site::current()) {
  return runtime::running_thread("cluster_rank").warp->block->rank;
}
inline unsigned cluster_size(Site = Site::current()) {
  return static_cast<unsigned>(runtime::running_gang("cluster_size").blocks().size());
}

// The cluster's barrier in two steps (PTX barrier.cluster): every thread arrives, then waits for
// all others that have not exited.
inline void cluster_arrive(Site where = Site::current()) {
  runtime::Thread& thread = runtime::running_thread("cluster_arrive");
  runtime::current.gang->cluster_barrier().arrive(thread, where);
}
inline void cluster_arrive_relaxed(Site where = Site::current()) {
  cluster_arrive(where);
}
inline void cluster_wait(Site where = Site::current()) {
  runtime::Thread& thread = runtime::running_thread("cluster_wait");
  runtime::current.gang->cluster_barrier().wait(thread, where);
}
inline void cluster_sync(Site where = Site::current()) {
  cluster_arrive(where);
  cluster_wait(where);
}

// The same object in the shared memory of block `rank` (PTX mapa). That block must not exit
// meanwhile.
template <class T>
T* map_shared(T* shared, unsigned rank, Site where = Site::current()) {
  runtime::Block& peer = runtime::live_peer(rank, "map_shared", where);
  return static_cast<T*>(runtime::map_to(peer, shared, "map_shared", where));
}

// PTX mapa and a load from it: N elements that lie at `shared`, but in block `rank`; one access, as
// <gpu/memory.hpp> has them.
template <int N, class T>
core::AlignedVector<T, N> load_cluster(T* shared, unsigned rank, Site where = Site::current()) {
  core::AlignedVector<T, N> out;
  runtime::check_shared(shared, sizeof(out), runtime::Access::kLoad, where);
  detail::copy(&out, map_shared(shared, rank, where), sizeof(out));
  return out;
}

// PTX st.async: four floats go to the place of `shared` in block `rank`, some time later, and their
// 16 bytes count at its barrier `full`.
inline void store_async(float* shared, const core::AlignedVector<float, 4>& value, Mbarrier& full,
                        unsigned rank, Site where = Site::current()) {
  runtime::check_shared(shared, sizeof(value), runtime::Access::kStore, where);
  runtime::running_gang("store_async").tma().send(shared, &value, &full, rank, where);
}

// Host: how many clusters of this shape the device runs at once.
template <class... Params>
int max_active_clusters(void (*)(Params...), const LaunchShape& shape) {
  return sm_count() / static_cast<int>(shape.cluster.x * shape.cluster.y * shape.cluster.z);
}

}  // namespace gpu

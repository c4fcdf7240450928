// Clusters: who is who, barriers, each other's shared memory, remote arrivals (PTX ISA,
// "barrier.cluster", "mapa", "mbarrier.arrive", "st.async").

#include "device.hpp"

#include <bit>

namespace intrinsics::cluster {

constexpr unsigned kThreads = 64;

gpu::LaunchShape two_clusters(unsigned size) {
  return grid(2 * size, kThreads, 0, size);
}

__global__ void identity(std::uint32_t* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 33) {
    out[2 * block] = gpu::cluster_rank();
    out[2 * block + 1] = gpu::cluster_size();
  }
}

// Blocks of a cluster count as blocks of a grid do: x fastest.
Outcome run_identity(Random&, dim3 cluster) {
  const unsigned x = 2 * cluster.x, y = 2 * cluster.y, z = cluster.z;
  const Words expected = made(2 * x * y * z, [=](unsigned i) {
    const unsigned block = i / 2;
    if (i % 2 == 1) return cluster.x * cluster.y * cluster.z;
    const unsigned in_y = block / x % y % cluster.y, in_z = block / (x * y) % cluster.z;
    return block % x % cluster.x + cluster.x * (in_y + cluster.y * in_z);
  });
  return check(identity, {.grid = dim3(x, y, z), .block = dim3(kThreads), .cluster = cluster},
               expected);
}

// The number itself is the machine's; here it must be possible.
Outcome run_occupancy(Random&, unsigned size) {
  const int count = gpu::max_active_clusters(identity, grid(size, kThreads, 0, size));
  const int blocks = count * static_cast<int>(size);
  return {{count >= 1 ? 1u : 0u, blocks <= 32 * gpu::sm_count() ? 2u : 0u}, {1, 2}};
}

struct Exchange {
  gpu::Mbarrier written, read;
  std::uint32_t value[kThreads];
};

__device__ unsigned other_rank(unsigned distance) {
  return (gpu::cluster_rank() + distance) % gpu::cluster_size();
}

// Where a thread's value of a round is, in `values` and `out` alike.
__device__ unsigned place(unsigned round) {
  return (round * gridDim.x + blockIdx.x) * kThreads + threadIdx.x;
}

enum class How { kRead, kSplit, kWrite };

// Everybody reads from the rank `distance` further on, or writes into it, round after round.
template <How kHow>
__global__ void exchange(const std::uint32_t* values, unsigned distance, unsigned rounds,
                         std::uint32_t* out) {
  auto& smem = gpu::static_smem<Exchange>();
  const unsigned other = other_rank(distance), from = (threadIdx.x + 5) % kThreads;
  for (unsigned round = 0; round < rounds; ++round) {
    gpu::cluster_sync();  // all blocks are running, and have read
    std::uint32_t* to = &smem.value[threadIdx.x];
    *(kHow == How::kWrite ? gpu::map_shared(to, other) : to) = values[place(round)];
    std::uint32_t aside = kHow == How::kWrite ? 0 : threadIdx.x;
    if constexpr (kHow == How::kSplit) {
      gpu::cluster_arrive();
      for (int i = 0; i < 8; ++i) aside = aside * 3 + 1;  // whatever needs no neighbour
      gpu::cluster_wait();
    } else {
      gpu::cluster_sync();
    }
    // Two intrinsics for one thing: by a pointer, and at once.
    std::uint32_t value = smem.value[from];
    if constexpr (kHow != How::kWrite) {
      value = round % 2 == 0 ? gpu::map_shared(smem.value, other)[from]
                             : gpu::load_cluster<1>(smem.value + from, other)[0];
    }
    out[place(round)] = aside + value;
  }
  // Orders nothing after writes, only keeps blocks alive.
  kHow == How::kWrite ? gpu::cluster_arrive_relaxed() : gpu::cluster_arrive();
  gpu::cluster_wait();
}

// Writes, published by arrivals of cluster scope alone.
__global__ void pass_on(const std::uint32_t* values, unsigned distance, unsigned rounds,
                        std::uint32_t* out) {
  auto& smem = gpu::static_smem<Exchange>();
  constexpr gpu::Scope kScope = gpu::Scope::kCluster;
  const unsigned to = other_rank(distance), from = other_rank(gpu::cluster_size() - distance);
  init(smem.written, kThreads);
  init(smem.read, kThreads);
  gpu::cluster_sync();
  for (unsigned round = 0; round < rounds; ++round) {
    smem.read.wait(round % 2 ^ 1, kScope);  // passes at once in the first round
    *gpu::map_shared(&smem.value[threadIdx.x], to) = values[place(round)];
    smem.written.arrive_remote(to, kScope);
    smem.written.wait(round % 2, kScope);
    out[place(round)] = smem.value[(threadIdx.x + 5) % kThreads];
    smem.read.arrive_remote(from, kScope);
  }
  gpu::cluster_sync();
}

// Four floats from every thread, whose bytes the other block's barrier counts.
__global__ void send(const std::uint32_t* values, unsigned distance, unsigned rounds,
                     std::uint32_t* out) {
  struct Sent {
    alignas(16) float value[4 * kThreads];
    gpu::Mbarrier complete;
  };
  auto& smem = gpu::static_smem<Sent>();
  init(smem.complete, 1);
  for (unsigned round = 0; round < rounds; ++round) {
    gpu::cluster_sync();  // all blocks are running, and have read
    if (threadIdx.x == 0) smem.complete.arrive_and_expect(sizeof(smem.value));
    core::AlignedVector<float, 4> four{};
    for (unsigned i = 0; i < 4; ++i) four.set(i, std::bit_cast<float>(values[place(round)] + i));
    gpu::store_async(smem.value + 4 * threadIdx.x, four, smem.complete, other_rank(distance));
    smem.complete.wait(round % 2);
    const unsigned from = (threadIdx.x + 5) % kThreads, i = round % 4;
    out[place(round)] = std::bit_cast<std::uint32_t>(smem.value[4 * from + i]) - i;
  }
}

struct ExchangeTest {
  const char* form;
  decltype(&pass_on) kernel;
  unsigned rounds;
  bool writes;  // or reads, and adds what it has computed aside
  int steps_aside;
};
const ExchangeTest kExchanges[] = {{"mapa.read", exchange<How::kRead>, 3, false, 0},
                                   {"arrive_wait", exchange<How::kSplit>, 3, false, 8},
                                   {"mapa.write", exchange<How::kWrite>, 1, true, 0},
                                   {"arrive_remote.cluster", pass_on, 4, true, 0},
                                   {"store_async", send, 6, true, 0}};

Outcome run_exchange(Random& random, const ExchangeTest& test, unsigned size, unsigned distance) {
  const Words values = random.words(test.rounds * 2 * size * kThreads);
  const unsigned further = test.writes ? size - distance : distance;
  const Words expected = made(values.size(), [&](unsigned i) {
    const unsigned thread = i % kThreads, block = i / kThreads;  // of all rounds
    const unsigned other = block / size * size + (block % size + further) % size;
    unsigned aside = test.writes ? 0 : thread;
    for (int step = 0; step < test.steps_aside; ++step) aside = aside * 3 + 1;
    return values[other * kThreads + (thread + 5) % kThreads] + aside;
  });
  return check(test.kernel, two_clusters(size), expected, values, distance, test.rounds);
}

// Every block's barrier counts `each` threads of every block, its own included; or, `first`, rank
// 0's alone is used: the others tell it that they have passed their own work.
__global__ void arrive(bool first, unsigned each, unsigned rounds, std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<Exchange>().written;
  const unsigned rank = gpu::cluster_rank(), size = gpu::cluster_size();
  init(barrier, first ? size - 1 : size * each);
  gpu::cluster_sync();
  for (unsigned round = 0; round < rounds; ++round) {
    const bool arrives = threadIdx.x < each && !(first && rank == 0);
    for (unsigned to = 0; to < (first ? 1 : size); ++to) {
      if (round % 2 != 0) {
        barrier.arrive_remote_if(arrives, to);
      } else if (arrives) {
        barrier.arrive_remote(to);
      }
    }
    if (!first || rank == 0) barrier.wait(round % 2);
    out[place(round)] = 1000 * (round + 1) + threadIdx.x;
    __syncthreads();
  }
  gpu::cluster_sync();
}

Outcome run_arrivals(Random&, unsigned size, bool first, unsigned each, unsigned rounds) {
  return check(arrive, two_clusters(size), marks(rounds, 2 * size, kThreads), first, each, rounds);
}

const Register kCases([](Cases& cases) {
  const dim3 shapes[] = {{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {8, 1, 1},
                         {1, 2, 1}, {2, 2, 1}, {1, 1, 2}, {2, 1, 2}};
  for (const dim3& s : shapes) {
    add(cases, name("cluster/rank/", s.x, "x", s.y, "x", s.z), run_identity, s);
  }
  for (const unsigned size : {1u, 2u, 4u}) {
    add(cases, name("cluster/occupancy/size=", size), run_occupancy, size);
    for (unsigned distance = 0; distance < size; ++distance) {
      for (const ExchangeTest& test : kExchanges) {
        if (size == 1 && test.kernel == send) continue;  // an illegal instruction there
        add(cases, name("cluster/", test.form, "/size=", size, ".to=", distance), run_exchange,
            test, size, distance);
      }
    }
    const std::string form = name("cluster/arrive_remote/size=", size);
    for (const unsigned each : {1u, 3u, 32u}) {
      add(cases, name(form, ".each=", each), run_arrivals, size, false, each, 4u);
    }
    if (size > 1) add(cases, form + ".first", run_arrivals, size, true, 1u, 1u);
  }
});

}  // namespace intrinsics::cluster

// Clusters: who is who, barriers, each other's shared memory, remote arrivals (PTX ISA,
// "barrier.cluster", "mapa", "mbarrier.arrive").

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

#include <gpu/cluster.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/shared.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace words {

namespace cluster {

constexpr int kThreads = 64;

// --- Rank and size
// ---------------------------------------------------------------------------------

__global__ void identity(std::uint32_t* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x == 33) {
    out[2 * block] = gpu::cluster_rank();
    out[2 * block + 1] = gpu::cluster_size();
  }
}

// Blocks of a cluster count as blocks of a grid do: x fastest.
Outcome run_identity(dim3 cluster) {
  const unsigned x = 2 * cluster.x, y = 2 * cluster.y, z = cluster.z;
  std::vector<std::uint32_t> expected;
  for (unsigned block = 0; block < x * y * z; ++block) {
    const unsigned in_x = block % x % cluster.x, in_y = block / x % y % cluster.y,
                   in_z = block / (x * y) % cluster.z;
    expected.push_back(in_x + cluster.x * (in_y + cluster.y * in_z));
    expected.push_back(cluster.x * cluster.y * cluster.z);
  }
  const DeviceArray<std::uint32_t> out(expected.size());
  run(identity, {.grid = dim3(x, y, z), .block = dim3(kThreads), .cluster = cluster}, out.data());
  return {out.values(), expected};
}

// The number itself is the machine's; here it must be possible.
Outcome run_occupancy(unsigned size) {
  const int clusters = gpu::max_active_clusters(
      identity, {.grid = dim3(size), .block = dim3(kThreads), .cluster = dim3(size)});
  const int blocks = clusters * static_cast<int>(size);
  return {{clusters >= 1 ? 1u : 0u, blocks <= 32 * gpu::sm_count() ? 2u : 0u}, {1, 2}};
}

// --- Shared memory of others
// ------------------------------------------------------------------------

struct Exchange {
  std::uint32_t mine[kThreads];
  std::uint32_t given[kThreads];
};

// Everybody reads from the rank `distance` further on, round after round.
__global__ void read_others(const std::uint32_t* values, int distance, int rounds, bool split,
                            std::uint32_t* out) {
  auto& smem = gpu::static_smem<Exchange>();
  const unsigned thread = threadIdx.x;
  const unsigned other =
      (gpu::cluster_rank() + static_cast<unsigned>(distance)) % gpu::cluster_size();
  for (int round = 0; round < rounds; ++round) {
    const unsigned at = (static_cast<unsigned>(round) * gridDim.x + blockIdx.x) * kThreads;
    smem.mine[thread] = values[at + thread];
    std::uint32_t aside = thread;
    if (split) {
      gpu::cluster_arrive();
      for (int i = 0; i < 8; ++i) aside = aside * 3 + 1;  // whatever needs no neighbour
      gpu::cluster_wait();
    } else {
      gpu::cluster_sync();
    }
    // Two words for one thing: by a pointer, and at once.
    const unsigned from = (thread + 5) % kThreads;
    out[at + thread] = aside + (round % 2 == 0 ? gpu::map_shared(smem.mine, other)[from]
                                               : gpu::load_cluster<1>(smem.mine + from, other)[0]);
    gpu::cluster_sync();
  }
}

Outcome run_read(const std::string& name, unsigned size, int distance, bool split) {
  const int rounds = 3;
  const unsigned blocks = 2 * size;
  const std::vector<std::uint32_t> values = Random(name).words(rounds * blocks * kThreads);
  std::vector<std::uint32_t> expected(values.size());
  for (unsigned i = 0; i < values.size(); ++i) {
    const unsigned thread = i % kThreads, block = i / kThreads % blocks,
                   round = i / kThreads / blocks;
    const unsigned other =
        block / size * size + (block % size + static_cast<unsigned>(distance)) % size;
    std::uint32_t aside = thread;
    for (int j = 0; j < 8 && split; ++j) aside = aside * 3 + 1;
    expected[i] = values[(round * blocks + other) * kThreads + (thread + 5) % kThreads] + aside;
  }
  const DeviceArray<std::uint32_t> d_values(values), out(expected.size());
  run(read_others, {.grid = dim3(blocks), .block = dim3(kThreads), .cluster = dim3(size)},
      d_values.data(), distance, rounds, split, out.data());
  return {out.values(), expected};
}

// Everybody writes into the rank `distance` further on; the last barrier before the end orders
// nothing, it only keeps blocks alive.
__global__ void write_others(const std::uint32_t* values, int distance, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Exchange>();
  const unsigned thread = threadIdx.x, at = blockIdx.x * kThreads;
  const unsigned other =
      (gpu::cluster_rank() + static_cast<unsigned>(distance)) % gpu::cluster_size();
  gpu::cluster_sync();  // all blocks are running
  *gpu::map_shared(&smem.given[thread], other) = values[at + thread];
  gpu::cluster_sync();
  out[at + thread] = smem.given[(thread + 5) % kThreads];
  gpu::cluster_arrive_relaxed();
  gpu::cluster_wait();
}

Outcome run_write(const std::string& name, unsigned size, int distance) {
  const unsigned blocks = 2 * size;
  const std::vector<std::uint32_t> values = Random(name).words(blocks * kThreads);
  std::vector<std::uint32_t> expected(values.size());
  for (unsigned i = 0; i < values.size(); ++i) {
    const unsigned thread = i % kThreads, block = i / kThreads;
    const unsigned writer =
        block / size * size + (block % size + size - static_cast<unsigned>(distance)) % size;
    expected[i] = values[writer * kThreads + (thread + 5) % kThreads];
  }
  const DeviceArray<std::uint32_t> d_values(values), out(expected.size());
  run(write_others, {.grid = dim3(blocks), .block = dim3(kThreads), .cluster = dim3(size)},
      d_values.data(), distance, out.data());
  return {out.values(), expected};
}

// --- Remote arrivals
// ---------------------------------------------------------------------------------

struct Counted {
  gpu::Mbarrier barrier;
};

// Every block's barrier counts `each` threads of every block, its own included.
__global__ void arrive_everywhere(int each, int rounds, std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<Counted>().barrier;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    barrier.init(gpu::cluster_size() * static_cast<unsigned>(each));
    gpu::fence_mbarrier_init();
  }
  gpu::cluster_sync();
  for (int round = 0; round < rounds; ++round) {
    if (thread < each) {
      for (unsigned rank = 0; rank < gpu::cluster_size(); ++rank) barrier.arrive_remote(rank);
    }
    barrier.wait(static_cast<unsigned>(round) & 1);
    out[(static_cast<unsigned>(round) * gridDim.x + blockIdx.x) * kThreads + threadIdx.x] =
        1000 * static_cast<std::uint32_t>(round + 1) + threadIdx.x;
    __syncthreads();
  }
  gpu::cluster_sync();
}

// Only rank 0's barrier is used: the others tell it that they have passed their own work.
__global__ void arrive_at_first(std::uint32_t* out) {
  gpu::Mbarrier& barrier = gpu::static_smem<Counted>().barrier;
  if (threadIdx.x == 0) {
    barrier.init(gpu::cluster_size() - 1);
    gpu::fence_mbarrier_init();
  }
  gpu::cluster_sync();
  if (gpu::cluster_rank() == 0) {
    barrier.wait(0);
  } else if (threadIdx.x == 40) {
    barrier.arrive_remote(0);
  }
  out[blockIdx.x * kThreads + threadIdx.x] = 1000 + threadIdx.x;
  gpu::cluster_sync();
}

struct Passed {
  gpu::Mbarrier written, read;
  std::uint32_t value[kThreads];
};

// Everybody writes into the rank `distance` further on, round after round, and says so by arrivals
// of cluster scope alone.
__global__ void pass_on(const std::uint32_t* values, int distance, int rounds, std::uint32_t* out) {
  auto& smem = gpu::static_smem<Passed>();
  constexpr gpu::Scope kScope = gpu::Scope::kCluster;
  const unsigned thread = threadIdx.x, size = gpu::cluster_size();
  const unsigned to = (gpu::cluster_rank() + static_cast<unsigned>(distance)) % size;
  const unsigned from = (gpu::cluster_rank() + size - static_cast<unsigned>(distance)) % size;
  if (thread == 0) {
    smem.written.init(kThreads);
    smem.read.init(kThreads);
    gpu::fence_mbarrier_init();
  }
  gpu::cluster_sync();
  for (int round = 0; round < rounds; ++round) {
    const unsigned phase = static_cast<unsigned>(round) & 1;
    const unsigned at = (static_cast<unsigned>(round) * gridDim.x + blockIdx.x) * kThreads;
    smem.read.wait(phase ^ 1, kScope);  // passes at once in the first round
    *gpu::map_shared(&smem.value[thread], to) = values[at + thread];
    smem.written.arrive_remote(to, kScope);
    smem.written.wait(phase, kScope);
    out[at + thread] = smem.value[(thread + 5) % kThreads];
    smem.read.arrive_remote(from, kScope);
  }
  gpu::cluster_sync();
}

Outcome run_pass_on(const std::string& name, unsigned size, int distance) {
  const int rounds = 4;
  const unsigned blocks = 2 * size;
  const std::vector<std::uint32_t> values = Random(name).words(rounds * blocks * kThreads);
  std::vector<std::uint32_t> expected(values.size());
  for (unsigned i = 0; i < values.size(); ++i) {
    const unsigned thread = i % kThreads, block = i / kThreads % blocks,
                   round = i / kThreads / blocks;
    const unsigned writer =
        block / size * size + (block % size + size - static_cast<unsigned>(distance)) % size;
    expected[i] = values[(round * blocks + writer) * kThreads + (thread + 5) % kThreads];
  }
  const DeviceArray<std::uint32_t> d_values(values), out(expected.size());
  run(pass_on, {.grid = dim3(blocks), .block = dim3(kThreads), .cluster = dim3(size)},
      d_values.data(), distance, rounds, out.data());
  return {out.values(), expected};
}

std::vector<std::uint32_t> marks(unsigned blocks, int rounds) {
  std::vector<std::uint32_t> out;
  for (int round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < blocks * kThreads; ++i) {
      out.push_back(1000 * static_cast<std::uint32_t>(round + 1) + i % kThreads);
    }
  }
  return out;
}

Outcome run_arrivals(unsigned size, int each, int rounds) {
  const std::vector<std::uint32_t> expected = marks(2 * size, rounds);
  const DeviceArray<std::uint32_t> out(expected.size());
  run(arrive_everywhere, {.grid = dim3(2 * size), .block = dim3(kThreads), .cluster = dim3(size)},
      each, rounds, out.data());
  return {out.values(), expected};
}

Outcome run_arrivals_at_first(unsigned size) {
  const std::vector<std::uint32_t> expected = marks(2 * size, 1);
  const DeviceArray<std::uint32_t> out(expected.size());
  run(arrive_at_first, {.grid = dim3(2 * size), .block = dim3(kThreads), .cluster = dim3(size)},
      out.data());
  return {out.values(), expected};
}

}  // namespace cluster

Cases cluster_cases() {
  using namespace cluster;
  Cases cases;
  const std::array<unsigned, 3> shapes[] = {{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {8, 1, 1},
                                            {1, 2, 1}, {2, 2, 1}, {1, 1, 2}, {2, 1, 2}};
  for (const auto& s : shapes) {
    const std::string shape =
        std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
    cases.push_back(
        {"cluster/rank/" + shape, [=] { return run_identity(dim3(s[0], s[1], s[2])); }});
  }
  for (const unsigned size : {1u, 2u, 4u}) {
    const std::string suffix = "/size=" + std::to_string(size);
    cases.push_back({"cluster/occupancy" + suffix, [=] { return run_occupancy(size); }});
    for (int distance = 0; distance < static_cast<int>(size); ++distance) {
      const std::string to = suffix + ".to=" + std::to_string(distance);
      const std::string read = "cluster/mapa.read" + to, split = "cluster/arrive_wait" + to,
                        write = "cluster/mapa.write" + to;
      cases.push_back({read, [=] { return run_read(read, size, distance, false); }});
      cases.push_back({split, [=] { return run_read(split, size, distance, true); }});
      cases.push_back({write, [=] { return run_write(write, size, distance); }});
      const std::string passed = "cluster/arrive_remote.cluster" + to;
      cases.push_back({passed, [=] { return run_pass_on(passed, size, distance); }});
    }
    for (const int each : {1, 3, 32}) {
      cases.push_back({"cluster/arrive_remote" + suffix + ".each=" + std::to_string(each),
                       [=] { return run_arrivals(size, each, 4); }});
    }
    if (size > 1) {
      cases.push_back({"cluster/arrive_remote" + suffix + ".first",
                       [=] { return run_arrivals_at_first(size); }});
    }
  }
  return cases;
}

}  // namespace words

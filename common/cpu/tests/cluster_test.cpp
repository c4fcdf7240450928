// Clusters: their barrier, each other's shared memory, exits. Named barriers, elections and
// registers of one block.

#include "asynchrony.hpp"

#include <gpu/cluster.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/registers.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

namespace {

constexpr const char* kFile = "cluster_test.cpp";

struct Shared {
  alignas(128) float tile[32];
  gpu::Mbarrier barrier;
  int values[64];
};

__device__ Shared& shared() {
  return gpu::static_smem<Shared>();
}

std::string error_of(void (*kernel)(), const gpu::LaunchShape& shape) {
  return device_error_of([&] { gpu::launch(kernel, shape, nullptr); });
}

// Each thread hands its value around the cluster, by the neighbour's shared memory.
__global__ void hand_around(int* out, int rounds) {
  int& mine = shared().values[threadIdx.x];
  mine = static_cast<int>(64 * blockIdx.x + threadIdx.x);
  const unsigned next = (gpu::cluster_rank() + 1) % gpu::cluster_size();
  for (int i = 0; i < rounds; ++i) {
    gpu::cluster_sync();
    const int theirs = *gpu::map_shared(&mine, next);
    gpu::cluster_arrive();
    gpu::cluster_wait();
    mine = theirs;
  }
  out[64 * blockIdx.x + threadIdx.x] = mine;
  gpu::cluster_sync();
}

}  // namespace

TEST_CASE("blocks of a cluster read each other's shared memory") {
  const unsigned blocks = GENERATE(1, 2, 3, 8, 16);
  under_every_policy([&] {
    const DeviceArray<int> out(64 * 2 * blocks);
    gpu::launch(hand_around, {.grid = dim3(2 * blocks), .block = dim3(64), .cluster = dim3(blocks)},
                nullptr, out.data(), 5);
    const std::vector<int> got = out.values();
    int wrong = 0;
    for (unsigned block = 0; block < 2 * blocks; ++block) {
      const unsigned from = block / blocks * blocks + (block % blocks + 5) % blocks;
      for (unsigned t = 0; t < 64; ++t) {
        wrong += got[64 * block + t] != static_cast<int>(64 * from + t) ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("the cluster's barrier does not wait for those that have exited") {
  under_every_policy([] {
    const DeviceArray<int> count(std::vector<int>{0});
    const auto kernel = +[](int* out) {
      if (gpu::cluster_rank() == 1) return;                            // a block without work
      if (threadIdx.x % 4 == 1) return;                                // threads without work
      if (threadIdx.x % 4 == 2) return gpu::cluster_arrive_relaxed();  // these never wait
      gpu::cluster_sync();
      if (threadIdx.x % 4 == 3) return;
      gpu::cluster_sync();
      ++*out;
    };
    gpu::launch(kernel, one_cluster(4, 40), nullptr, count.data());
    CHECK(count.values()[0] == 3 * 10);
  });
}

TEST_CASE("remote arrivals complete a phase, from blocks that have no work of their own too") {
  under_every_policy([] {
    const DeviceArray<int> out(std::vector<int>(4, 0));
    const auto kernel = +[](int* results) {
      Shared& smem = shared();
      if (threadIdx.x == 0) {
        smem.barrier.init(gpu::cluster_size());
        gpu::fence_mbarrier_init();
      }
      gpu::cluster_sync();
      for (unsigned round = 0; round < 3; ++round) {
        if (threadIdx.x < gpu::cluster_size()) smem.barrier.arrive_remote(threadIdx.x);
        smem.barrier.wait(round & 1);
        gpu::cluster_sync();
      }
      if (threadIdx.x == 0) results[gpu::cluster_rank()] = 1;
    };
    gpu::launch(kernel, one_cluster(4, 32), nullptr, out.data());
    CHECK(out.values() == std::vector<int>(4, 1));
  });
}

TEST_CASE("arriving twice and waiting for nothing are named") {
  const auto twice = +[] {
    gpu::cluster_arrive();
    if (threadIdx.x != 31) return;
    failing_line = __LINE__ + 1;
    gpu::cluster_arrive();
  };
  under_every_policy([&] {
    check_error(error_of(twice, one_cluster(2, 32)), kFile,
                {"cluster_arrive", "for the second time", "thread 31"});
  });
  const auto nothing = +[] {
    gpu::cluster_sync();
    failing_line = __LINE__ + 1;
    gpu::cluster_wait();
  };
  check_error(error_of(nothing, one_cluster(2, 32)), kFile,
              {"cluster_wait without a cluster_arrive"});
}

TEST_CASE("blocks that do not exist, or no longer, cannot be reached") {
  const auto beyond = +[] {
    failing_line = __LINE__ + 1;
    gpu::map_shared(&shared().values[0], 2);
  };
  check_error(error_of(beyond, one_cluster(2, 1)), kFile,
              {"map_shared", "block 2", "cluster of 2"});
  const auto not_shared = +[] {
    int value = 0;
    failing_line = __LINE__ + 1;
    gpu::map_shared(&value, 1);
  };
  check_error(error_of(not_shared, one_cluster(2, 1)), kFile,
              {"map_shared of an address", "not in the block's shared memory"});
  const auto exited = +[] {
    if (gpu::cluster_rank() == 1) return;
    for (int i = 0; i < 3; ++i) __syncthreads();
    gpu::cluster_sync();  // by now the other block has left
    failing_line = __LINE__ + 1;
    shared().barrier.arrive_remote(1);
  };
  under_every_policy([&] {
    check_error(error_of(exited, one_cluster(2, 1)), kFile,
                {"arrive_remote", "block (1,0,0)", "has exited"});
  });
  const auto no_barrier = +[] {
    if (gpu::cluster_rank() == 0) {
      failing_line = __LINE__ + 1;
      shared().barrier.arrive_remote(1);
    }
    gpu::cluster_sync();
  };
  under_every_policy([&] {
    check_error(error_of(no_barrier, one_cluster(2, 32)), kFile, {"arrive_remote", "no mbarrier"});
  });
}

TEST_CASE("another block's barriers are there only after the cluster has met") {
  const auto block_alone = +[] {
    gpu::cluster_sync();
    if (threadIdx.x == 0) shared().barrier.init(1);
    for (int i = 0; i < 3; ++i) __syncthreads();
    failing_line = __LINE__ + 1;
    if (threadIdx.x == 0) shared().barrier.arrive_remote(gpu::cluster_rank() ^ 1);
    gpu::cluster_sync();
  };
  check_error(error_of(block_alone, one_cluster(2, 64)), kFile,
              {"arrive_remote", "block (1,0,0)", "may not have been initialised yet"});
  under_every_policy([&] {
    check_error(error_of(block_alone, one_cluster(2, 64)), kFile, {"arrive_remote", "initialised"});
  });
  const auto met = +[] {
    Shared& smem = shared();
    if (threadIdx.x == 0) smem.barrier.init(2);
    gpu::cluster_arrive();
    __syncthreads();
    if (threadIdx.x == 0) smem.barrier.arrive_remote(gpu::cluster_rank());  // its own, at once
    gpu::cluster_wait();
    if (threadIdx.x == 0) smem.barrier.arrive_remote(gpu::cluster_rank() ^ 1);
    smem.barrier.wait(0);
    gpu::cluster_sync();
  };
  under_every_policy([&] { gpu::launch(met, one_cluster(2, 64), nullptr); });
}

namespace {

// Block 1 does not announce the bytes that block 0's multicast brings, and leaves.
__global__ void leaves_before_multicast(const __grid_constant__ gpu::TensorMap from) {
  Shared& smem = shared();
  if (threadIdx.x == 0) smem.barrier.init(1);
  gpu::cluster_sync();
  if (gpu::cluster_rank() == 0) {
    failing_line = __LINE__ + 1;
    gpu::tma_load_multicast(smem.tile, from, {0, 0}, smem.barrier, 2);
  }
  gpu::cluster_sync();
}

}  // namespace

TEST_CASE("a multicast into a block that leaves without waiting for it is named") {
  const DeviceArray<float> values(std::vector<float>(32, 1.0f));
  const auto map = map_of(values.data(), 1, 32, 1, 32);
  under_every_policy([&] {
    check_error(device_error_of(
                    [&] { gpu::launch(leaves_before_multicast, one_cluster(2, 1), nullptr, map); }),
                kFile, {"TMA load", "block (1,0,0)", "exits"});
  });
}

TEST_CASE("deadlocks in a cluster name the blocks") {
  const auto kernel = +[] {
    if (gpu::cluster_rank() == 1 && threadIdx.x >= 32) {
      __syncthreads();
    } else {
      failing_line = __LINE__ + 1;
      gpu::cluster_sync();
    }
  };
  under_every_policy([&] {
    const std::string error = error_of(kernel, one_cluster(2, 64));
    const std::string where = place(kFile, failing_line);
    check_deadlock(error, {"\n  block (0,0,0) threads 0-63 wait at " + where +
                               " in cluster_wait, 96 of 128 threads of the cluster arrived",
                           "\n  block (1,0,0) threads 0-31 wait at " + where + " in cluster_wait",
                           "\n  block (1,0,0) threads 32-63 wait at ", "32 of 64 arrived"});
  });
  const auto remote = +[] {
    if (threadIdx.x == 0) shared().barrier.init(2);
    gpu::cluster_sync();
    if (gpu::cluster_rank() == 0) shared().barrier.arrive_remote(1);
    shared().barrier.wait(gpu::cluster_rank() == 1 ? 0 : 1);
    gpu::cluster_sync();
  };
  check_deadlock(error_of(remote, one_cluster(2, 1)),
                 {"of block (1,0,0): phase 0 (parity 0) lacks 1 of 2 arrivals", "in cluster_wait"});
}

// --- Within a block -----------------------------------------------------------------------------

TEST_CASE("named barriers order producers that arrive and consumers that wait") {
  under_every_policy([] {
    const DeviceArray<int> sum(std::vector<int>(32, 0));
    const auto kernel = +[](int* out) {
      int* values = shared().values;
      const unsigned t = threadIdx.x % 32;
      for (int round = 0; round < 6; ++round) {
        if (threadIdx.x < 32) {
          if (round > 0) gpu::barrier_sync(2, 64);
          values[t] = static_cast<int>(t) + round;
          gpu::barrier_arrive(1, 64);
        } else {
          gpu::barrier_sync(1, 64);
          out[t] += values[31 - t];
          if (round < 5) gpu::barrier_arrive(2, 64);
        }
      }
    };
    gpu::launch(kernel, one_block(64), nullptr, sum.data());
    for (int t = 0; t < 32; ++t) CHECK(sum.values()[t] == 6 * (31 - t) + 15);
  });
}

TEST_CASE("named barriers count whole warps, in a block with a partial one too") {
  const int threads = GENERATE(33, 48, 64);
  under_every_policy([&] {
    const auto kernel = +[] {
      for (int i = 0; i < 3; ++i) gpu::barrier_sync(3, 64);
    };
    gpu::launch(kernel, one_block(threads), nullptr);
  });
}

TEST_CASE("named barriers check their number and their count") {
  const auto negative = +[] {
    failing_line = __LINE__ + 1;
    gpu::barrier_sync(-1, 32);
  };
  check_error(error_of(negative, one_block(32)), kFile, {"barrier -1", "to 15"});
  const auto sixteen = +[] {
    failing_line = __LINE__ + 1;
    gpu::barrier_arrive(16, 32);
  };
  check_error(error_of(sixteen, one_block(32)), kFile, {"barrier 16", "to 15"});
  const auto part = +[] {
    failing_line = __LINE__ + 1;
    gpu::barrier_sync(1, 48);
  };
  check_error(error_of(part, one_block(64)), kFile, {"barrier 1 for 48 threads", "whole warps"});
  const auto two_counts = +[] {
    if (threadIdx.x < 32) return gpu::barrier_arrive(5, 64);
    __syncthreads();
    failing_line = __LINE__ + 1;
    gpu::barrier_sync(5, 96);
  };
  const std::string error = error_of(two_counts, one_block(64));
  check_error(error, kFile,
              {"barrier 5 for 96 threads", "tests/cluster_test.cpp:", "it is for 64"});
  const auto missing = +[] {
    failing_line = __LINE__ + 1;
    if (threadIdx.x < 32) gpu::barrier_sync(7, 64);
  };
  const std::string deadlock = error_of(missing, one_block(64));
  check_deadlock(deadlock, {"threads 0-31 wait at " + place(kFile, failing_line) +
                            " at barrier 7, 32 of 64 threads arrived"});
}

TEST_CASE("exactly one lane that is there is elected, always the same") {
  const int threads = GENERATE(1, 13, 32, 77);
  under_every_policy([&] {
    const DeviceArray<int> elected(std::vector<int>(96, 0));
    const auto kernel = +[](int* out) {
      if (threadIdx.x % 32 >= 20) return;
      for (int i = 0; i < 3; ++i) out[threadIdx.x] += gpu::elect_one() ? 1 : 0;
    };
    gpu::launch(kernel, one_block(threads), nullptr, elected.data());
    const std::vector<int> got = elected.values();
    for (int warp = 0; warp < (threads + 31) / 32; ++warp) {
      int lanes = 0;
      for (int lane = 0; lane < 32; ++lane) lanes += got[32 * warp + lane] == 3 ? 1 : 0;
      CHECK(lanes == 1);
    }
  });
}

TEST_CASE("warpgroups may share out the registers of a block, and no more") {
  const auto fits = +[] {
    if (gpu::warpgroup_index() == 0) {
      gpu::shrink_registers<24>();
    } else {
      gpu::grow_registers<240>();
    }
  };
  const auto alone = +[] {
    gpu::shrink_registers<64>();
    gpu::grow_registers<256>();
  };
  under_every_policy([&] {
    gpu::launch(fits, one_block(384), nullptr);
    gpu::launch(alone, one_block(128), nullptr);
  });
  const auto too_many = +[] {
    if (gpu::warpgroup_index() == 0) {
      gpu::shrink_registers<40>();
    } else {
      failing_line = __LINE__ + 1;
      gpu::grow_registers<240>();
    }
  };
  check_error(error_of(too_many, one_block(384)), kFile,
              {"66560 registers", "384 threads", "64512", "never return"});
}

TEST_CASE("registers grow to more and shrink to fewer") {
  const auto shrinks_to_more_than_launched = +[] {
    failing_line = __LINE__ + 1;
    gpu::shrink_registers<240>();
  };
  check_error(error_of(shrinks_to_more_than_launched, one_block(384)), kFile,
              {"shrink_registers to 240", "168 at most"});
  const auto shrinks_to_more = +[] {
    gpu::shrink_registers<64>();
    failing_line = __LINE__ + 1;
    gpu::shrink_registers<72>();
  };
  check_error(error_of(shrinks_to_more, one_block(128)), kFile,
              {"shrink_registers to 72", "a thread has 64"});
  const auto grows_to_fewer = +[] {
    gpu::grow_registers<232>();
    failing_line = __LINE__ + 1;
    gpu::grow_registers<40>();
  };
  check_error(error_of(grows_to_fewer, one_block(128)), kFile,
              {"grow_registers to 40", "a thread has 232"});
}

TEST_CASE("cluster words make no sense outside a kernel") {
  CHECK(device_error_of([] { gpu::cluster_sync(); }) == "cluster_arrive outside a kernel");
  CHECK(device_error_of([] { gpu::cluster_wait(); }) == "cluster_wait outside a kernel");
  CHECK(device_error_of([] { gpu::cluster_rank(); }) == "cluster_rank outside a kernel");
  CHECK(device_error_of([] { gpu::barrier_sync(1, 32); }) == "barrier_sync outside a kernel");
  CHECK(device_error_of([] { gpu::barrier_arrive(1, 32); }) == "barrier_arrive outside a kernel");
  CHECK(device_error_of([] { gpu::elect_one(); }) == "elect_one outside a kernel");
}

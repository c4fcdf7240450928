// Kernels with one mistake each, and what is said about it: a line marked "// fails" is the one
// that the error, or the first line of the deadlock report, must name.

#include "support.hpp"

#include <gpu/global.hpp>
#include <gpu/grid.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/registers.hpp>
#include <gpu/shuffle.hpp>

TEST_CASE("cp.async checks its addresses and its count") {
  fails({"cp_async of 9 of 8 bytes", "thread 0"}, [](const Global g) {
    gpu::cp_async_zfill<8>(shared().tile, g.values, 9);  // fails
  });
  fails({"16-byte load", "not 16-byte aligned"}, [](const Global g) {
    gpu::cp_async<16>(shared().tile, g.values + 1);  // fails
  });
}

TEST_CASE("shared memory that a cp.async fills cannot be touched before the wait") {
  fails({"a store overwrites shared memory", "the cp_async at", "waited"}, [](const Global g) {
    gpu::cp_async<16>(shared().tile, g.values);
    gpu::store_shared(shared().tile[0], kOnes);  // fails
  });
  fails({"cp_async into shared memory", "the cp_async at", "something else"}, [](const Global g) {
    gpu::cp_async<8>(shared().tile, g.values);
    gpu::cp_async<16>(shared().tile, g.values + 4);  // fails
  });
  fails(one_block(2), {"tma_load overwrites shared memory", "the cp_async at"}, [](const Global g) {
    gpu::Mbarrier& full = barrier_for(1);
    if (threadIdx.x == 1) gpu::cp_async<16>(shared().tile, g.values);
    __syncthreads();
    if (threadIdx.x == 0) gpu::tma_load(shared().tile, g.map, {0, 0}, full);  // fails
    __syncthreads();
    gpu::cp_async_wait_all();
  });
  fails(one_block(40), {"this cp_async is still under way", "cp_async_wait<0>()", "thread 3"},
        [](const Global g) {
          if (threadIdx.x == 3) gpu::cp_async<16>(shared().tile, g.values);  // fails
          gpu::cp_async_commit();
        });
}

TEST_CASE("matrices need all 32 lanes") {
  const auto kernel = [](const Global) {
    if (threadIdx.x == 4) return;
    std::uint32_t fragment[1];
    gpu::ldmatrix(fragment, shared().tile);  // fails
  };
  fails(one_block(20), {"ldmatrix needs all 32 lanes", "lanes 4, 20-31"}, kernel);
}

TEST_CASE("TMA checks its tile, its coordinates and its mask") {
  fails({"tma_load: the tile of 4096 bytes", "not lie within", "thread 0"}, [](const Global g) {
    gpu::tma_load(&shared() + 1, g.map, {0, 0}, barrier_for(1));  // fails
  });
  fails({"tma_load with 3 coordinates", "rank 2"}, [](const Global g) {
    gpu::tma_load(shared().tile, g.map, {0, 0, 0}, barrier_for(1));  // fails
  });
  fails({"tma_load_multicast: the mask 2", "cluster of 1"}, [](const Global g) {
    gpu::tma_load_multicast(shared().tile, g.map, {0, 0}, barrier_for(1), 2);  // fails
  });
  fails({"tma_store: coordinate 1 is -1", "begins inside the tensor"}, [](const Global g) {
    gpu::tma_store(g.map, {0, -1}, shared().tile);  // fails
  });
  fails({"the box begins in column 1", "not a multiple of 16 bytes"}, [](const Global g) {
    gpu::tma_load(shared().tile, g.map, {1, 0}, shared().full);  // fails
  });
  fails({"tma_load: the tensor map describes more than the allocation"}, [](const Global g) {
    gpu::TensorMap map = g.map;
    map.shape.size[1] = 33;
    barrier_for(1).arrive_and_expect(4096);
    gpu::tma_load(shared().tile, map, {0, 1}, shared().full);  // fails
    shared().full.wait(0);
  });
  fails({"rows of 30 elements", "would write past their end"}, [](const Global g) {
    gpu::TensorMap map = g.map;
    map.shape.size[0] = 30;
    gpu::tma_store(map, {0, 0}, shared().tile);  // fails
  });
}

TEST_CASE("shared memory that TMA fills cannot be read, and nothing may be under way at the end") {
  fails({"a load reads shared memory", "the TMA load at tests/errors_test.cpp:",
         "nobody has waited for the mbarrier at shared offset"},
        [](const Global g) {
          barrier_for(1).arrive_and_expect(4096);
          gpu::tma_load(shared().tile, g.map, {0, 0}, shared().full);
          gpu::load_shared<4>(shared().tile[0] + 64);  // fails
        });
  fails({"nobody has waited for this TMA load", "block (0,0,0)", "exits"}, [](const Global g) {
    barrier_for(1).arrive_and_expect(4096);
    gpu::tma_load(shared().tile, g.map, {0, 0}, shared().full);  // fails
  });
  fails(one_cluster(2, 1), {"TMA load", "block (1,0,0)", "exits"}, [](const Global g) {
    gpu::Mbarrier& full = barrier_for(1);
    const bool first = gpu::cluster_rank() == 0;
    gpu::cluster_sync();
    if (first) gpu::tma_load_multicast(shared().tile, g.map, {0, 0}, full, 2);  // fails
    gpu::cluster_sync();
  });
}

// --- wgmma --------------------------------------------------------------------------------------

// One wgmma, correct but for what its operands are or for what happens before.
static __device__ void multiply_once(core::MatrixDescriptor a, core::MatrixDescriptor b) {
  float acc[4] = {};
  gpu::wgmma_fence();
  gpu::wgmma<bf16>(acc, a, b);  // fails
  finish();
}
static __device__ core::MatrixDescriptor good_a() {
  return descriptor(shared().a[0]);
}
static __device__ core::MatrixDescriptor good_b() {
  return descriptor(shared().b[0]);
}

TEST_CASE("fences around registers are demanded") {
  fails(one_block(128), {"wgmma without wgmma_fence()", "accumulator"}, [](const Global) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 2; ++i) {
      gpu::wgmma<bf16>(acc, good_a(), good_b());  // fails
      finish();
      acc[2] += 1;
    }
  });
  fails(one_block(128), {"wgmma without wgmma_fence()", "registers of A"}, [](const Global) {
    fill();
    float acc[4] = {};
    const std::uint32_t fragment[4] = {};
    gpu::wgmma_fence();
    multiply(acc, 0);
    finish();
    gpu::wgmma<bf16>(acc, fragment, good_b());  // fails
  });
}

TEST_CASE("accumulators belong to the wgmma until the wait") {
  fails(one_block(128), {"accumulator register 3 was written", "under way"}, [](const Global) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    multiply(acc, 0);
    gpu::wgmma_commit();
    acc[3] = 0;
    gpu::wgmma_wait<0>();  // fails
  });
  fails(one_block(128), {"lies where another one lay", "still writing"}, [](const Global) {
    fill();
    float acc[8] = {};
    gpu::wgmma_fence();
    multiply(reinterpret_cast<float(&)[4]>(acc), 0);
    gpu::wgmma_commit();
    gpu::wgmma<bf16>(acc, good_a(), good_b());  // fails
    finish();
  });
  fails(one_block(128), {"this thread's accumulator is another array"}, [](const Global) {
    fill();
    float first[4] = {}, second[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 2; ++i) {
      auto& acc = i == 0 && threadIdx.x >= 64 ? second : first;
      gpu::wgmma<bf16>(acc, good_a(), good_b());  // fails
    }
    finish();
  });
  fails(one_block(128), {"this wgmma is still under way", "wgmma_commit()"}, [](const Global) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    gpu::wgmma<bf16>(acc, good_a(), good_b());  // fails
    gpu::wgmma_wait<0>();
  });
}

TEST_CASE("a warpgroup acts as one") {
  fails(one_block(192), {"wgmma needs a warpgroup of 128"}, [](const Global) {
    fill();
    if (threadIdx.x >= 128) multiply_once(good_a(), good_b());
  });
  fails(one_block(128), {"wgmma while other threads", "other arguments", "128"}, [](const Global) {
    fill();
    multiply_once(good_a(), descriptor(shared().b[threadIdx.x < 64 ? 0 : 1]));
  });
  fails(one_block(128), {"wgmma_commit after another number"}, [](const Global) {
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    multiply(acc, 0);
    if (threadIdx.x < 32) gpu::wgmma_commit();
    __syncthreads();
    multiply(acc, 0);
    if (threadIdx.x >= 32) gpu::wgmma_commit();  // fails
    __syncthreads();
  });
  fails(one_block(128),
        {"threads 0-95 wait at", "in wgmma_wait: 96 of 128 threads have issued the wgmma at",
         "likely cause: wgmma takes all 128 threads"},
        [](const Global) {
          fill();
          if (threadIdx.x >= 96) return;
          float acc[4] = {};
          gpu::wgmma_fence();
          multiply(acc, 0);
          gpu::wgmma_commit();
          gpu::wgmma_wait<0>();  // fails
        });
}

TEST_CASE("operands are checked: place, swizzle, writers, readers, loads under way") {
  fails(one_block(128), {"operand A reaches shared offset", "outside of", "SBO 16384"},
        [](const Global) {
          fill();
          multiply_once(gpu::matrix_descriptor(shared().a[0], core::SwizzleMode::k32B, 16, 16384),
                        good_b());
        });
  fails(one_block(128), {"wgmma reads shared memory", "the cp_async at"}, [](const Global g) {
    fill();
    if (threadIdx.x == 0) gpu::cp_async<4>(shared().b[0], g.number);
    __syncthreads();
    multiply_once(good_a(), good_b());
    gpu::cp_async_wait_all();
  });
  fails(one_block(128), {"a store overwrites", "the wgmma at tests/", "has not waited"},
        [](const Global) {
          fill();
          float acc[4] = {};
          gpu::wgmma_fence();
          for (int i = 0; i < 2; ++i) {
            multiply(acc, i);
            gpu::wgmma_commit();
          }
          gpu::wgmma_wait<1>();
          __syncthreads();
          gpu::store_shared(shared().b[1], core::AlignedVector<bf16, 8>{});  // fails
        });
}

// --- mbarriers ----------------------------------------------------------------------------------

TEST_CASE("an mbarrier's address, its number of arrivals and its state are checked") {
  fails({"0 arrivals", "1 to 1048575"}, [](const Global) {
    shared().full.init(0);  // fails
  });
  fails({"init", "not in the block's shared memory", "(block (0,0,0), thread 0)"},
        [](const Global) {
          gpu::Mbarrier barrier;
          barrier.init(1);  // fails
        });
  fails({"init", "not a multiple of 8"}, [](const Global) {
    reinterpret_cast<gpu::Mbarrier*>(shared().values + 1)->init(1);  // fails
  });
  fails(one_block(2), {"the mbarrier at shared offset", "a second time"}, [](const Global) {
    shared().full.init(1);  // fails
  });
  fails({"wait on", "no mbarrier"}, [](const Global) {
    barrier_for(1).invalidate();
    shared().full.wait(1);  // fails
  });
  fails({"has been overwritten"}, [](const Global) {
    barrier_for(1).word = 7;
    shared().full.expect(16);  // fails
  });
}

TEST_CASE("arrivals, bytes, parities and tokens beyond what there can be are named") {
  fails({"1048576 bytes", "1048575"}, [](const Global) {
    barrier_for(2).expect(1 << 20);  // fails
  });
  fails({"parity 2", "0 or 1"}, [](const Global) {
    barrier_for(1).wait(2);  // fails
  });
  fails({"wait_token", "did not return"}, [](const Global) {
    barrier_for(1).wait_token(1);  // fails
  });
}

TEST_CASE("deadlocks at mbarriers say what is missing") {
  fails(one_block(2), {"lacks 1 of 1 arrivals, while 4096 unexpected bytes have come"},
        [](const Global g) {
          gpu::Mbarrier& full = barrier_for(1);
          if (threadIdx.x == 0) gpu::tma_load(shared().tile, g.map, {0, 0}, full);
          full.wait(0);  // fails
        });
  fails(one_block(64),
        {"\n  block (0,0,0) threads 0-39 wait at tests/errors_test.cpp:",
         "phase 0 (parity 0) lacks 1 of 3 arrivals", "threads 40-63 have exited"},
        [](const Global) {
          gpu::Mbarrier& barrier = barrier_for(3);
          if (threadIdx.x >= 40) return;
          if (threadIdx.x < 2) barrier.arrive();
          barrier.wait(0);  // fails
        });
}

// --- Clusters -----------------------------------------------------------------------------------

TEST_CASE("the cluster's barrier and its blocks are checked") {
  fails(one_cluster(2, 32), {"cluster_arrive", "for the second time", "thread 31"},
        [](const Global) {
          gpu::cluster_arrive();
          if (threadIdx.x == 31) gpu::cluster_arrive();  // fails
        });
  fails(one_cluster(2, 32), {"cluster_wait without a cluster_arrive"}, [](const Global) {
    gpu::cluster_sync();
    gpu::cluster_wait();  // fails
  });
  fails(one_cluster(2, 1), {"map_shared", "block 2", "cluster of 2"}, [](const Global) {
    gpu::map_shared(&shared().values[0], 2);  // fails
  });
  fails(one_cluster(2, 1), {"map_shared of an address", "not in the block's"}, [](const Global) {
    int value = 0;
    gpu::map_shared(&value, 1);  // fails
  });
  fails(one_cluster(2, 64), {"arrive_remote", "of block (", "may not have been initialised yet"},
        [](const Global) {
          gpu::cluster_sync();
          barrier_for(1);
          for (int i = 0; i < 3; ++i) __syncthreads();
          const unsigned peer = gpu::cluster_rank() ^ 1;
          if (threadIdx.x == 0) shared().full.arrive_remote(peer);  // fails
          gpu::cluster_sync();
        });
  fails(one_cluster(2, 1), {"in cluster_wait", "of block (1,0,0): phase 0 (parity 0) lacks 1 of 2"},
        [](const Global) {
          gpu::Mbarrier& barrier = barrier_for(2);
          gpu::cluster_sync();
          if (gpu::cluster_rank() == 0) barrier.arrive_remote(1);
          barrier.wait(gpu::cluster_rank() == 1 ? 0 : 1);
          gpu::cluster_sync();  // fails
        });
}

TEST_CASE("st.async needs a cluster, and what it brings is waited for") {
  fails({"store_async", "without clusters of at least two blocks"}, [](const Global) {
    gpu::store_async(shared().tile[0], kOnes, barrier_for(1), 0);  // fails
  });
  fails(one_cluster(2, 1), {"a load reads shared memory", "the st.async at", "nobody has waited"},
        [](const Global) {
          gpu::Mbarrier& barrier = barrier_for(1);
          gpu::cluster_sync();
          if (gpu::cluster_rank() == 0) gpu::store_async(shared().tile[0], kOnes, barrier, 1);
          gpu::cluster_sync();
          if (gpu::cluster_rank() == 1) gpu::load_shared<4>(shared().tile[0]);  // fails
        });
  fails(one_cluster(2, 1), {"nobody has waited for this st.async", "block (1,0,0)", "exits"},
        [](const Global) {
          gpu::Mbarrier& barrier = barrier_for(1);
          gpu::cluster_sync();
          if (gpu::cluster_rank() == 0) {
            gpu::store_async(shared().tile[0], kOnes, barrier, 1);  // fails
          }
          gpu::cluster_sync();
        });
}

TEST_CASE("deadlocks in a cluster name the blocks") {
  fails(one_cluster(2, 64),
        {"\n  block (0,0,0) threads 0-63 wait at ", "96 of 128 threads of the cluster arrived",
         "\n  block (1,0,0) threads 0-31 wait at ", "\n  block (1,0,0) threads 32-63 wait at ",
         "32 of 64 arrived"},
        [](const Global) {
          if (gpu::cluster_rank() == 1 && threadIdx.x >= 32) return __syncthreads();
          gpu::cluster_sync();  // fails
        });
}

TEST_CASE("named barriers check their number and their count") {
  fails(one_block(32), {"barrier -1", "to 15"}, [](const Global) {
    gpu::barrier_sync(-1, 32);  // fails
  });
  fails(one_block(64), {"barrier 1 for 48 threads", "whole warps"}, [](const Global) {
    gpu::barrier_sync(1, 48);  // fails
  });
  fails(one_block(64), {"barrier 5 for 96 threads", "tests/errors_test.cpp:", "it is for 64"},
        [](const Global) {
          if (threadIdx.x < 32) gpu::barrier_arrive(5, 64);
          __syncthreads();
          gpu::barrier_sync(5, 96);  // fails
        });
  fails(one_block(64), {"threads 0-31 wait at", "at barrier 7, 32 of 64 threads arrived"},
        [](const Global) {
          if (threadIdx.x < 32) gpu::barrier_sync(7, 64);  // fails
        });
}

TEST_CASE("registers grow to more, shrink to fewer, and are no more than the block has") {
  fails(one_block(384), {"66560 registers", "384 threads", "64512", "return"}, [](const Global) {
    if (threadIdx.x < 128) gpu::shrink_registers<40>();
    __syncthreads();
    if (threadIdx.x >= 128) gpu::grow_registers<240>();  // fails
  });
  fails(one_block(384), {"shrink_registers to 240", "168 at most"}, [](const Global) {
    gpu::shrink_registers<240>();  // fails
  });
  fails(one_block(128), {"shrink_registers to 72", "a thread has 64"}, [](const Global) {
    gpu::shrink_registers<64>();
    gpu::shrink_registers<72>();  // fails
  });
  fails(one_block(128), {"grow_registers to 40", "a thread has 232"}, [](const Global) {
    gpu::grow_registers<232>();
    gpu::grow_registers<40>();  // fails
  });
}

// --- Lanes of a warp ----------------------------------------------------------------------------

TEST_CASE("lanes of one warp must meet in the same operation, at the same place") {
  fails(one_block(64),
        {"__syncthreads while (block (0,0,0), thread", "the same warp is in the one"},
        [](const Global) {
          if (threadIdx.x < 10) {
            __syncthreads();  // fails
          } else {
            __syncthreads();  // fails
          }
        });
  fails(one_block(32),
        {"shuffle_xor while lanes ", " of the same warp are in shuffle_xor at tests/"},
        [](const Global) {
          if (threadIdx.x >= 4) {
            gpu::shuffle_xor(1.0f, 1);  // fails
          } else {
            gpu::shuffle_xor(1.0f, 1);  // fails
          }
        });
  fails(one_block(32), {" while lanes ", "sync_warp", "shuffle"}, [](const Global) {
    if (threadIdx.x == 8) gpu::shuffle(1, 0);  // fails
    gpu::sync_warp();                          // fails
  });
}

// --- Global memory ------------------------------------------------------------------------------

TEST_CASE("semaphores must lie in global memory") {
  fails({"4-byte load", "out of bounds"}, [](const Global) {
    static int host = 0;
    gpu::semaphore_wait(&host, 0);  // fails
  });
  fails({"4-byte store", "0 bytes past the end"}, [](const Global g) {
    gpu::semaphore_release(g.number + 1, 0);  // fails
  });
}

// Accesses global memory by the thread 33 of two warps, in a launch that may begin before the grid
// before it is done. Thread 0 has waited for that, which is not enough.
static void fails_early(void (*kernel)(const Global)) {
  gpu::LaunchShape shape = one_block(64);
  shape.programmatic = true;
  fails(shape, {"(block (0,0,0), thread 33)", "before this thread's wait_for_prior_grid()"},
        kernel);
}

static __device__ bool accesses() {
  if (threadIdx.x == 0) gpu::wait_for_prior_grid();
  gpu::fence_proxy_async();
  __syncthreads();
  return threadIdx.x == 33;
}

TEST_CASE("global memory before the grid before is done") {
  fails_early([](const Global g) {
    if (accesses()) gpu::load_global<4>(g.values);  // fails
  });
  fails_early([](const Global g) {
    if (accesses()) gpu::cp_async<16>(shared().tile, g.values);  // fails
    gpu::cp_async_wait_all();
  });
  fails_early([](const Global g) {
    if (accesses()) gpu::tma_store(g.map, {0, 0}, shared().tile);  // fails
    gpu::tma_store_commit();
    gpu::tma_store_wait<0>();
  });
}

TEST_CASE("device intrinsics make no sense outside a kernel") {
  const std::pair<const char*, void (*)()> cases[] = {
      {"cp_async", [] { gpu::cp_async<4>(nullptr, nullptr); }},
      {"arrive", [] { gpu::Mbarrier{}.arrive(); }},
      {"cluster_arrive", [] { gpu::cluster_sync(); }},
      {"barrier_sync", [] { gpu::barrier_sync(1, 32); }},
      {"__syncthreads", [] { __syncthreads(); }},
      {"shuffle", [] { gpu::shuffle(1, 0); }},
  };
  for (const auto& [word, call] : cases) {
    CHECK(device_error_of(call) == std::string(word) + " outside a kernel");
  }
}

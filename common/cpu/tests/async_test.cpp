// Asynchronous intrinsics used correctly: nothing is reported, and the results are right, under
// every policy.

#include "support.hpp"

#include <gpu/shuffle.hpp>

template <class Kernel>
static void runs(const gpu::LaunchShape& shape, Kernel kernel) {
  under_every_policy([&] {
    const DeviceArray<int> wrong(std::vector<int>{0});
    gpu::launch(+kernel, shape, nullptr, wrong.data());
    CHECK(wrong.values()[0] == 0);
  });
}

// --- wgmma --------------------------------------------------------------------------------------

static __device__ void check(const float (&acc)[4], float expected, int* wrong) {
  for (const float value : acc) *wrong += value != expected ? 1 : 0;
}

TEST_CASE("a chain of wgmmas with wait<1> needs one fence; the stage before may be overwritten") {
  runs(one_block(256), [](int* wrong) {
    gpu::wgmma_fence();  // fences, groups and waits without a wgmma are fine
    finish();
    fill();
    float acc[4] = {};
    gpu::wgmma_fence();
    for (int i = 0; i < 12; ++i) {
      multiply(acc, i % kStages);
      gpu::wgmma_commit();
      gpu::wgmma_wait<1>();
    }
    __syncthreads();
    if (threadIdx.x < 128) gpu::store_shared(shared().a[2], core::AlignedVector<bf16, 8>{});
    gpu::wgmma_wait<0>();
    check(acc, 16 * 3 * (1 + 2 + 3 + 4), wrong);
  });
}

// --- Clusters, parts of a block, lanes ----------------------------------------------------------

TEST_CASE("the cluster's barrier does not wait for those that have exited") {
  runs(one_cluster(4, 40), [](int* wrong) {
    if (gpu::cluster_rank() == 1) return;                            // a block without work
    if (threadIdx.x % 4 == 1) return;                                // threads without work
    if (threadIdx.x % 4 == 2) return gpu::cluster_arrive_relaxed();  // these never wait
    if (threadIdx.x % 4 == 0) ++*wrong;
    gpu::cluster_sync();
    if (threadIdx.x % 4 == 3) return;
    gpu::cluster_sync();
    --*wrong;
  });
}

TEST_CASE("of a warp that is not full all lanes count at a named barrier") {
  runs(one_block(48), [](int*) { gpu::barrier_sync(3, 64); });
}

TEST_CASE("threads that have exited are not waited for, and warps may meet from different lines") {
  runs(one_block(96), [](int* wrong) {
    int& mine = shared().values[threadIdx.x % 64];
    if (threadIdx.x % 3 == 0 || threadIdx.x >= 64) return;
    mine = 1;
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
    if (threadIdx.x % 3 == 2) return;  // the last of these leaves when all others wait already
    __syncthreads();
    if (threadIdx.x < 63 && mine + shared().values[threadIdx.x + 1] != 2) *wrong = 1;
    if (threadIdx.x % 2 == 0) {
      gpu::sync_warp();
    } else {
      gpu::sync_warp();
    }
  });
}

TEST_CASE("a deadlock is reported group by group, and later launches run") {
  const KeepSettings keep;
  runtime::set_workers(GENERATE(1, 2));
  constexpr int kLine = __LINE__ + 5;
  const auto kernel = +[] {
    const unsigned t = threadIdx.x;
    if (blockIdx.y != 2 || (t >= 120 && t < 126)) return;
    if (t < 32 || (t >= 64 && t < 96)) {
      __syncthreads();
    } else if (t >= 96) {
      gpu::sync_warp();
      __syncthreads();
    } else if (t != 37) {
      gpu::shuffle(0, 1);
    } else {
      __syncthreads();
    }
  };
  const auto group = [](const char* threads, int line, const char* call, const char* what) {
    const std::string place = "async_test.cpp:" + std::to_string(line);
    return std::string("\n  block (0,2,0) thread") + threads + " at tests/" + place + " in " +
           what + "\n      " + place + "  " + call;
  };
  const char* arrived = "__syncthreads, 91 of 122 arrived";
  const std::string error = device_error_of(
      [&] { gpu::launch(kernel, {.grid = dim3(3, 4), .block = dim3(128)}, nullptr); });
  CHECK(error == "deadlock: no thread can move" +
                     group("s 0-31, 64-95 wait", kLine, "__syncthreads();", arrived) +
                     group("s 32-36, 38-63 wait", kLine + 5, "gpu::shuffle(0, 1);",
                           "shuffle, lanes 5 of the warp missing") +
                     group(" 37 waits", kLine + 7, "__syncthreads();", arrived) +
                     group("s 96-119, 126-127 wait", kLine + 3, "__syncthreads();", arrived) +
                     "\n  block (0,2,0) threads 120-125 have exited");
  gpu::launch(kernel, {.grid = dim3(3, 2), .block = dim3(64)}, nullptr);
}

// mbarriers: phases, parities, tokens, and every way of getting them wrong.

#include "asynchrony.hpp"

#include <gpu/cluster.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

namespace {

constexpr const char* kFile = "mbarrier_test.cpp";
constexpr int kStages = 3;

struct Shared {
  alignas(128) float tile[4][32];
  gpu::Mbarrier first, second;
  gpu::Mbarrier full[kStages], empty[kStages];
  int slots[kStages];
};

__device__ Shared& shared() {
  return gpu::static_smem<Shared>();
}

// One barrier for `arrivals`, made known to the block.
__device__ gpu::Mbarrier& barrier_for(unsigned arrivals) {
  gpu::Mbarrier& barrier = shared().first;
  if (threadIdx.x == 0) {
    barrier.init(arrivals);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  return barrier;
}

std::string error_of(void (*kernel)(), int threads) {
  return device_error_of([&] { gpu::launch(kernel, one_block(threads), nullptr); });
}

// Warp 0 hands `count` numbers to warp 1 through a ring of stages.
__global__ void ring(int* sum, int count) {
  Shared& smem = shared();
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) smem.full[i].init(1), smem.empty[i].init(32);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  const bool producer = threadIdx.x == 0;
  if (threadIdx.x > 0 && threadIdx.x < 32) return;  // others of the producer's warp leave early
  for (int i = 0; i < count; ++i) {
    const int stage = i % kStages;
    const unsigned parity = i / kStages & 1;
    if (producer) {
      smem.empty[stage].wait(parity ^ 1);
      smem.slots[stage] = i;
      smem.full[stage].arrive();
    } else {
      smem.full[stage].wait(parity);
      sum[threadIdx.x - 32] += smem.slots[stage];
      smem.empty[stage].arrive();
    }
  }
}

}  // namespace

TEST_CASE("a ring of stages wraps many times") {
  under_every_policy([] {
    const DeviceArray<int> sum(std::vector<int>(32, 0));
    gpu::launch(ring, one_block(64), nullptr, sum.data(), 50);
    CHECK(sum.values() == std::vector<int>(32, 49 * 50 / 2));
  });
}

TEST_CASE("tokens name the phase that an arrival counts for") {
  const int threads = GENERATE(1, 13, 32, 100);  // partial warps too
  under_every_policy([&] {
    const DeviceArray<int> values(std::vector<int>(128, 0));
    const auto kernel = +[](int* out) {
      gpu::Mbarrier& barrier = barrier_for(blockDim.x);
      for (int round = 0; round < 4; ++round) {
        ++out[threadIdx.x];
        const auto token = barrier.arrive();
        barrier.wait_token(token);
        const int other = out[(threadIdx.x + 1) % blockDim.x];
        if (other != round + 1) out[127] = 1;
        barrier.wait_token(barrier.arrive());
        barrier.wait_token(token);  // long over
      }
    };
    gpu::launch(kernel, one_block(threads), nullptr, values.data());
    CHECK(values.values()[127] == 0);
  });
}

TEST_CASE("parity 1 passes on a fresh mbarrier, and one may be made anew after invalidate") {
  under_every_policy([] {
    const auto kernel = +[] {
      for (unsigned round = 0; round < 3; ++round) {
        gpu::Mbarrier& barrier = barrier_for(round == 1 ? 1 : blockDim.x);
        barrier.wait(1);
        __syncthreads();
        if (round != 1 || threadIdx.x == 7) barrier.arrive();
        barrier.wait(0);
        __syncthreads();
        if (threadIdx.x == 0) barrier.invalidate();
        __syncthreads();
      }
    };
    gpu::launch(kernel, one_block(48), nullptr);
  });
}

TEST_CASE("bytes may be expected before or after loads that bring them, and in parts") {
  const DeviceArray<float> values(std::vector<float>(4 * 32, 2.0f));
  const auto map = map_of(values.data(), 4, 32, 1, 32);
  const auto kernel = +[](const __grid_constant__ gpu::TensorMap from, float* out) {
    Shared& smem = shared();
    gpu::Mbarrier& full = barrier_for(2);
    for (int round = 0; round < 4; ++round) {
      if (threadIdx.x == 0) {
        full.expect(128);
        gpu::tma_load(smem.tile[0], from, {0, 0}, full);
        gpu::tma_load(smem.tile[1], from, {0, 1}, full);
        full.arrive_and_expect(128);
        gpu::tma_load(smem.tile[2], from, {0, 2}, full);
        gpu::tma_load(smem.tile[3], from, {0, 3}, full);
      } else if (threadIdx.x == 1) {
        full.arrive_and_expect(256);
      }
      full.wait(round & 1);
      for (int i = 0; i < 4; ++i) out[threadIdx.x] += gpu::load_shared<1>(smem.tile[i])[0];
      __syncthreads();
    }
  };
  under_every_policy([&] {
    const DeviceArray<float> out(std::vector<float>(32, 0.0f));
    gpu::launch(kernel, one_block(32), nullptr, map, out.data());
    CHECK(out.values() == std::vector<float>(32, 32.0f));
  });
}

TEST_CASE("an mbarrier's address and its number of arrivals are checked") {
  const auto no_arrivals = +[] {
    failing_line = __LINE__ + 1;
    shared().first.init(0);
  };
  check_error(error_of(no_arrivals, 1), kFile, {"0 arrivals", "1 to 1048575"});
  const auto on_the_stack = +[] {
    gpu::Mbarrier barrier;
    failing_line = __LINE__ + 1;
    barrier.init(1);
  };
  check_error(error_of(on_the_stack, 1), kFile,
              {"init", "not in the block's shared memory", "(block (0,0,0), thread 0)"});
  const auto unaligned = +[] {
    auto* bytes = reinterpret_cast<unsigned char*>(shared().slots);
    failing_line = __LINE__ + 1;
    runtime::mbarrier_init(bytes + 4, 1, runtime::Site::current());
  };
  check_error(error_of(unaligned, 1), kFile, {"init", "not a multiple of 8"});
  const auto twice = +[] {
    failing_line = __LINE__ + 1;
    shared().first.init(1);
  };
  check_error(error_of(twice, 2), kFile,
              {"the mbarrier at shared offset", "a second time", "thread 1"});
}

TEST_CASE("an mbarrier that is not there, no longer there or overwritten is named") {
  const auto not_yet = +[] {
    failing_line = __LINE__ + 1;
    shared().first.arrive();
  };
  check_error(error_of(not_yet, 1), kFile, {"arrive on shared offset", "no mbarrier"});
  const auto no_longer = +[] {
    barrier_for(1).invalidate();
    failing_line = __LINE__ + 1;
    shared().first.wait(1);
  };
  check_error(error_of(no_longer, 1), kFile, {"wait on", "no mbarrier"});
  const auto overwritten = +[] {
    barrier_for(1).word = 7;
    failing_line = __LINE__ + 1;
    shared().first.expect(16);
  };
  check_error(error_of(overwritten, 1), kFile, {"has been overwritten"});
  const auto gone = +[] {
    failing_line = __LINE__ + 1;
    shared().first.invalidate();
  };
  check_error(error_of(gone, 1), kFile, {"invalidate on", "no mbarrier"});
}

TEST_CASE("arrivals, bytes, parities and tokens beyond what there can be are named") {
  const auto too_many = +[] {
    gpu::Mbarrier& barrier = barrier_for(1);
    barrier.arrive_and_expect(16);
    failing_line = __LINE__ + 1;
    barrier.arrive();
  };
  check_error(error_of(too_many, 1), kFile, {"one arrival too many", "all 1 of"});
  const auto too_heavy = +[] {
    failing_line = __LINE__ + 1;
    barrier_for(2).expect(1 << 20);
  };
  check_error(error_of(too_heavy, 1), kFile, {"1048576 bytes", "1048575"});
  const auto parity = +[] {
    failing_line = __LINE__ + 1;
    barrier_for(1).wait(2);
  };
  check_error(error_of(parity, 1), kFile, {"parity 2", "0 or 1"});
  const auto token = +[] {
    failing_line = __LINE__ + 1;
    barrier_for(1).wait_token(1);
  };
  check_error(error_of(token, 1), kFile, {"wait_token", "did not return"});
}

namespace {

// Thread 0 expects `expected` bytes, a load brings 128, everybody waits.
__global__ void expects(const __grid_constant__ gpu::TensorMap from, unsigned expected,
                        bool before) {
  gpu::Mbarrier& full = barrier_for(1);
  if (threadIdx.x == 0) {
    if (before) full.arrive_and_expect(expected);
    gpu::tma_load(shared().tile[0], from, {0, 0}, full);
    if (!before) full.arrive_and_expect(expected);
  }
  full.wait(0);
  if (before) __syncthreads();
}

}  // namespace

TEST_CASE("too few expected bytes are named, whatever the order and the policy") {
  const DeviceArray<float> values(std::vector<float>(4 * 32, 2.0f));
  const auto map = map_of(values.data(), 4, 32, 1, 32);
  under_every_policy([&] {
    for (const bool before : {true, false}) {
      for (const unsigned expected : {0u, 112u}) {
        const std::string error = device_error_of(
            [&] { gpu::launch(expects, one_block(32), nullptr, map, expected, before); });
        CAPTURE(error);
        CHECK(contains(error, std::string("tests/") + kFile + ":"));
        CHECK((contains(error, "bytes more than expected have come to the mbarrier") ||
               contains(error, "128 bytes are more than the mbarrier") ||
               contains(error, "did not expect its bytes") ||
               contains(error, "nobody has waited for this TMA load")));
        check_everything_works();
      }
    }
  });
}

TEST_CASE("deadlocks at mbarriers say what is missing") {
  const DeviceArray<float> values(std::vector<float>(4 * 32, 2.0f));
  const auto map = map_of(values.data(), 4, 32, 1, 32);
  under_every_policy([&] {
    check_deadlock(
        device_error_of([&] { gpu::launch(expects, one_block(32), nullptr, map, 144u, true); }),
        {"threads 0-31 wait at tests/mbarrier_test.cpp:", "for the mbarrier at shared offset ",
         ": phase 0 (parity 0) lacks 0 of 1 arrivals and 16 expected bytes"});
  });
  const auto unannounced = +[](const __grid_constant__ gpu::TensorMap from) {
    gpu::Mbarrier& full = barrier_for(1);
    if (threadIdx.x == 0) gpu::tma_load(shared().tile[0], from, {0, 0}, full);
    full.wait(0);
  };
  under_every_policy([&] {
    check_deadlock(device_error_of([&] { gpu::launch(unannounced, one_block(2), nullptr, map); }),
                   {"lacks 1 of 1 arrivals, while 128 unexpected bytes have come"});
  });
  const auto late = +[] {
    gpu::Mbarrier& barrier = barrier_for(3);
    if (threadIdx.x >= 40) return;
    if (threadIdx.x < 2) barrier.arrive();
    failing_line = __LINE__ + 1;
    barrier.wait(0);
  };
  const std::string error = error_of(late, 64);
  check_deadlock(
      error,
      {"\n  block (0,0,0) threads 0-39 wait at " + place(kFile, failing_line) + " for",
       "phase 0 (parity 0) lacks 1 of 3 arrivals", "\n  block (0,0,0) threads 40-63 have exited"});
  const auto by_token = +[] {
    gpu::Mbarrier& barrier = barrier_for(1);
    barrier.wait_token(barrier.arrive());
    barrier.wait_token(1);
  };
  check_deadlock(error_of(by_token, 1), {"phase 1 (parity 1) lacks 1 of 1 arrivals"});
}

TEST_CASE("mbarriers make no sense outside a kernel") {
  gpu::Mbarrier barrier;
  CHECK(device_error_of([&] { barrier.init(1); }) == "init outside a kernel");
  CHECK(device_error_of([&] { barrier.wait(0); }) == "wait outside a kernel");
  CHECK(device_error_of([&] { barrier.arrive_remote(0); }) == "arrive_remote outside a kernel");
  CHECK(device_error_of([&] { gpu::fence_mbarrier_init(); }) ==
        "fence_mbarrier_init outside a kernel");
}

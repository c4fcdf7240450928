// Grids, blocks and threads: everybody runs, once, as who they are.

#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace {

// Each thread of a grid of 4x2x6 blocks of 2x3x4 counts at its own number.
__global__ void __launch_bounds__(24, 1) count_visit(int* visits) {
  const uint3 t = threadIdx, b = blockIdx;
  const bool inside = t.x < 2 && t.y < 3 && t.z < 4 && b.x < 4 && b.y < 2 && b.z < 6;
  const unsigned block = b.x + gridDim.x * (b.y + gridDim.y * b.z);
  const unsigned thread = t.x + blockDim.x * (t.y + blockDim.y * t.z);
  if (inside && gridDim.z == 6 && blockDim.z == 4) ++visits[block * 24 + thread];
}

__global__ void count_up(int* counter) {
  ++*counter;
}

__global__ void fail_from_block(int first) {
  __syncthreads();
  if (static_cast<int>(blockIdx.x) >= first && threadIdx.x == 3) {
    // Later blocks fail later, so that the first error on record is not the last to arrive.
    volatile int delay = 0;
    for (unsigned i = 0; i < blockIdx.x * 1000000; ++i) delay = delay + 1;
    throw std::runtime_error("block " + std::to_string(blockIdx.x));
  }
  __syncthreads();
}

}  // namespace

TEST_CASE("every thread of a grid runs once and knows where it stands, in clusters too") {
  for (const dim3 cluster : {dim3(1, 1, 1), dim3(2, 1, 3)}) {
    const DeviceArray<int> visits(std::vector<int>(24 * 48, 0));
    gpu::launch(count_visit, {.grid = dim3(4, 2, 6), .block = dim3(2, 3, 4), .cluster = cluster},
                nullptr, visits.data());
    CHECK(visits.values() == std::vector<int>(24 * 48, 1));
  }
}

TEST_CASE("an exception leaves through launch, and the next launch is none the worse") {
  const KeepSettings keep;
  for (const int workers : {1, 2, 5}) {
    runtime::set_workers(workers);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::string what;
      try {
        gpu::launch(fail_from_block, blocks_of(40, 64), nullptr, 7);
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      CHECK(what == "block 7");  // the first one in the grid's order, whoever failed first
      gpu::launch(fail_from_block, blocks_of(7, 64), nullptr, 7);
    }
  }
}

TEST_CASE("launches beyond the hardware's limits are refused, and empty ones do nothing") {
  const std::vector<std::pair<gpu::LaunchShape, const char*>> cases = {
      {{.grid = dim3(1), .block = dim3(1025)}, "1025x1x1 threads per block"},
      {{.grid = dim3(1), .block = dim3(0)}, "0x1x1 threads per block"},
      {{.grid = dim3(1), .block = dim3(1, 1, 65)}, "at most 64 along z"},
      {{.grid = dim3(1, 65536), .block = dim3(1)}, "1x65536x1 blocks"},
      {{.grid = dim3(1), .block = dim3(1), .dynamic_smem = 232449}, "memory: at most 232448"},
      {{.grid = dim3(3), .block = dim3(1), .cluster = dim3(2)}, "cluster of 2x1x1"}};
  for (const auto& [shape, words] : cases) {
    CAPTURE(words);
    const gpu::LaunchShape allowed = gpu::launch_shape(count_up, shape);
    CHECK(contains(device_error_of([&] { gpu::launch(count_up, allowed, nullptr, nullptr); }),
                   words));
  }
  DeviceArray<int> counter(std::vector<int>{0});
  const gpu::LaunchShape most{.grid = dim3(1), .block = dim3(1), .dynamic_smem = 232448};
  gpu::launch(count_up, gpu::launch_shape(count_up, most), nullptr, counter.data());
  gpu::launch(count_up, {.grid = dim3(4, 0, 1), .block = dim3(32)}, nullptr, counter.data());
  CHECK(counter.values()[0] == 1);
  CHECK(contains(device_error_of([&] { gpu::launch(count_up, most, nullptr, counter.data()); }),
                 "gpu::launch_shape() has not allowed it"));
}

TEST_CASE("policies are read from text") {
  for (const char* text : {"late", "early", "mix", "random:0", "random:18446744073709551615"}) {
    CHECK(runtime::to_string(runtime::parse_policy(text)) == text);
  }
  for (const char* text : {"", "Late", "late ", "random", "random:", "random:-1", "random:+1",
                           "random:1x", "random:0x10", "random:18446744073709551616", "never"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(runtime::parse_policy(text), core::Refused);
  }
}

TEST_CASE("the number of workers comes from the setting, then the environment, then the machine") {
  const KeepSettings keep;
  runtime::set_workers(3);
  CHECK(runtime::workers() == 3);
  runtime::set_workers(0);
  CHECK(runtime::workers() >= 1);
  setenv("CPU_BACKEND_WORKERS", "7", 1);
  CHECK(runtime::workers() == 7);
  for (const char* text : {"0", "-1", "two", ""}) {
    setenv("CPU_BACKEND_WORKERS", text, 1);
    CHECK_THROWS_AS(runtime::workers(), core::Refused);
  }
  unsetenv("CPU_BACKEND_WORKERS");
  CHECK_THROWS_AS(runtime::set_workers(-1), core::Refused);
  CHECK_THROWS_AS(runtime::set_stack_bytes(1000), core::Refused);
}

// Writes down in which order threads come by, numbered through the grid. One worker: nobody else
// increments the counter.
static __global__ void record_order(int* order, int* counter) {
  order[(*counter)++] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

static std::vector<int> order_under(const std::string& policy, unsigned blocks, unsigned threads) {
  runtime::set_policy(policy);
  runtime::set_workers(1);
  DeviceArray<int> order(blocks * threads), counter(std::vector<int>{0});
  gpu::launch(record_order, blocks_of(blocks, threads), nullptr, order.data(), counter.data());
  return order.values();
}

TEST_CASE("the random policy draws the order of blocks, warps and lanes from its seed") {
  const KeepSettings keep;
  for (const auto& [blocks, threads] : std::vector<std::pair<unsigned, unsigned>>{
           {1, 1}, {1, 32}, {2, 1}, {3, 1}, {12, 1}, {97, 1}, {1, 128}, {1000, 2}}) {
    CAPTURE(blocks, threads);
    std::vector<int> plain(blocks * threads);
    std::iota(plain.begin(), plain.end(), 0);
    for (const char* policy : {"late", "early", "mix"}) {
      CHECK(order_under(policy, blocks, threads) == plain);
    }
    bool shuffled = false;
    for (int seed = 0; seed < 8; ++seed) {
      const std::string policy = "random:" + std::to_string(seed);
      std::vector<int> order = order_under(policy, blocks, threads);
      CHECK(order_under(policy, blocks, threads) == order);
      shuffled |= order != plain;
      std::sort(order.begin(), order.end());
      CHECK(order == plain);  // each once
    }
    CHECK(shuffled == (plain.size() > 1));
  }
}

// Two warpgroups make 100 steps each. The first to be done writes down how many the other has made.
static __global__ void race(int* steps, int* others) {
  const unsigned group = threadIdx.x / 128;
  for (int step = 0; step < 100; ++step) {
    gpu::sync_warp();
    if (threadIdx.x % 128 == 0) ++steps[group];
  }
  if (threadIdx.x % 128 == 0 && *others < 0) *others = steps[1 - group];
}

TEST_CASE("under the random policy one of two warpgroups lags far behind, or none does") {
  const KeepSettings keep;
  int least = 100, most = 0;
  for (int seed = 0; seed < 16; ++seed) {
    runtime::set_policy("random:" + std::to_string(seed));
    DeviceArray<int> steps(std::vector<int>{0, 0}), others(std::vector<int>{-1});
    gpu::launch(race, blocks_of(1, 256), nullptr, steps.data(), others.data());
    least = std::min(least, others.values()[0]), most = std::max(most, others.values()[0]);
  }
  CHECK(least < 10);
  CHECK(most > 60);
}

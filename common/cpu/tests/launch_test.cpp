// Grids, blocks and threads: everybody runs, once, as who they are.

#include "support.hpp"

#include <gpu/thread.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace {

struct Indices {
  uint3 thread, block;
  dim3 threads, blocks;
};

__global__ void __launch_bounds__(24, 1) record_indices(Indices* out, int* visits) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned number = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  out[number] = {threadIdx, blockIdx, blockDim, gridDim};
  ++visits[number];
}

void check_indices(dim3 cluster) {
  const int threads = 2 * 3 * 4, blocks = 4 * 2 * 6;
  DeviceArray<Indices> out(threads * blocks);
  DeviceArray<int> visits(std::vector<int>(threads * blocks, 0));
  gpu::launch(record_indices, {.grid = dim3(4, 2, 6), .block = dim3(2, 3, 4), .cluster = cluster},
              nullptr, out.data(), visits.data());
  REQUIRE(visits.values() == std::vector<int>(threads * blocks, 1));
  int number = 0, wrong = 0;
  const std::vector<Indices> values = out.values();
  for (unsigned bz = 0; bz < 6; ++bz) {
    for (unsigned by = 0; by < 2; ++by) {
      for (unsigned bx = 0; bx < 4; ++bx) {
        for (unsigned z = 0; z < 4; ++z) {
          for (unsigned y = 0; y < 3; ++y) {
            for (unsigned x = 0; x < 2; ++x) {
              const Indices& got = values[number++];
              wrong += got.thread.x != x || got.thread.y != y || got.thread.z != z ||
                       got.block.x != bx || got.block.y != by || got.block.z != bz ||
                       got.threads.x != 2 || got.threads.y != 3 || got.threads.z != 4 ||
                       got.blocks.x != 4 || got.blocks.y != 2 || got.blocks.z != 6;
            }
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
}

__global__ void count_up(int* counter) {
  ++*counter;
}

__global__ void store_number(std::int64_t* out, std::int64_t value) {
  *out = value;
}
__global__ void store_nothing(std::int64_t*, std::int64_t) {}
__global__ void takes_a_string(std::string) {}

// Neighbours exchange through global memory, `rounds` times, with barriers in between.
__global__ void rotate(int* values, int rounds) {
  const unsigned n = blockDim.x;
  int* mine = values + blockIdx.x * n;
  for (int i = 0; i < rounds; ++i) {
    const int next = mine[(threadIdx.x + 1) % n];
    __syncthreads();
    mine[threadIdx.x] = next;
    __syncthreads();
  }
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

__global__ void changes_its_parameter(int* out, int value) {
  value += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = value;
}

}  // namespace

TEST_CASE("every thread of a grid runs once and knows where it stands") {
  check_indices(dim3(1, 1, 1));
}

TEST_CASE("blocks of a cluster keep their places in the grid") {
  check_indices(dim3(2, 1, 3));
}

TEST_CASE("an empty grid launches nothing") {
  DeviceArray<int> counter(std::vector<int>{0});
  gpu::launch(count_up, {.grid = dim3(0), .block = dim3(32)}, nullptr, counter.data());
  gpu::launch(count_up, {.grid = dim3(4, 0, 1), .block = dim3(32)}, nullptr, counter.data());
  CHECK(counter.values()[0] == 0);
}

TEST_CASE("a rehearsal runs nothing and tells launches apart") {
  DeviceArray<std::int64_t> number(std::vector<std::int64_t>{0}), other(1);
  const gpu::LaunchShape one = {.grid = dim3(1), .block = dim3(1)};
  const auto launches = [&](auto kernel, const gpu::LaunchShape& shape, std::int64_t* out,
                            std::int64_t value) {
    const runtime::Rehearsal rehearsal;
    gpu::launch(kernel, shape, nullptr, out, value);
    return rehearsal.launches();
  };
  const auto first = launches(store_number, one, number.data(), 5);
  REQUIRE(first);
  CHECK(launches(store_number, one, number.data(), 5) == first);
  CHECK(launches(store_number, one, number.data(), 6) != first);
  CHECK(launches(store_number, one, other.data(), 5) != first);
  CHECK(launches(store_nothing, one, number.data(), 5) != first);
  gpu::LaunchShape wider = one, deeper = one;
  wider.block = dim3(2);
  deeper.dynamic_smem = 16;
  CHECK(launches(store_number, wider, number.data(), 5) != first);
  CHECK(launches(store_number, deeper, number.data(), 5) != first);
  {
    const runtime::Rehearsal rehearsal;
    CHECK(!rehearsal.launches());  // nothing launched: nothing to compare
    gpu::launch(takes_a_string, one, nullptr, std::string("text"));
    gpu::launch(store_number, one, nullptr, number.data(), 5);
    CHECK(!rehearsal.launches());  // a string is more than its bytes
  }
  CHECK(number.values()[0] == 0);
  gpu::launch(store_number, one, nullptr, number.data(), 5);
  CHECK(number.values()[0] == 5);
}

TEST_CASE("each thread owns its copy of the parameters") {
  DeviceArray<int> out(64);
  gpu::launch(changes_its_parameter, {.grid = dim3(1), .block = dim3(64)}, nullptr, out.data(), 5);
  std::vector<int> expected(64);
  std::iota(expected.begin(), expected.end(), 5);
  CHECK(out.values() == expected);
}

TEST_CASE("__syncthreads separates what is before from what is after") {
  const KeepSettings keep;
  const int threads = GENERATE(1, 31, 32, 33, 100, 256, 1024);
  const std::string policy = GENERATE("late", "random:1", "random:2", "random:77");
  runtime::set_policy(policy);
  const int blocks = 3, rounds = 5;
  std::vector<int> values(threads * blocks), expected(threads * blocks);
  for (int i = 0; i < threads * blocks; ++i) {
    values[i] = i;
    expected[i] = i / threads * threads + (i % threads + rounds) % threads;
  }
  DeviceArray<int> device(values);
  gpu::launch(rotate, {.grid = dim3(blocks), .block = dim3(threads)}, nullptr, device.data(),
              rounds);
  CHECK(device.values() == expected);
}

TEST_CASE("results do not depend on the number of workers") {
  const KeepSettings keep;
  std::vector<std::vector<int>> results;
  for (const int workers : {1, 2, 3, 8}) {
    runtime::set_workers(workers);
    std::vector<int> values(64 * 50);
    std::iota(values.begin(), values.end(), 0);
    DeviceArray<int> device(values);
    gpu::launch(rotate, {.grid = dim3(50), .block = dim3(64)}, nullptr, device.data(), 7);
    results.push_back(device.values());
    CHECK(results.back() != values);
    CHECK(results.back() == results.front());
  }
}

TEST_CASE("an exception leaves through launch, and the next launch is none the worse") {
  const KeepSettings keep;
  for (const int workers : {1, 2, 5}) {
    runtime::set_workers(workers);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::string what;
      try {
        gpu::launch(fail_from_block, {.grid = dim3(40), .block = dim3(64)}, nullptr, 7);
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      CHECK(what == "block 7");  // the first one in the grid's order, whoever failed first
      gpu::launch(fail_from_block, {.grid = dim3(7), .block = dim3(64)}, nullptr, 7);
    }
  }
}

TEST_CASE("launches beyond the hardware's limits are refused") {
  const auto refusal = [](const gpu::LaunchShape& shape) {
    return device_error_of(
        [&] { gpu::launch(count_up, gpu::launch_shape(count_up, shape), nullptr, nullptr); });
  };
  CHECK(contains(refusal({.grid = dim3(1), .block = dim3(1025)}), "1025x1x1 threads per block"));
  CHECK(contains(refusal({.grid = dim3(1), .block = dim3(0)}), "0x1x1 threads per block"));
  CHECK(contains(refusal({.grid = dim3(1), .block = dim3(1, 1, 65)}), "at most 64 along z"));
  CHECK(contains(refusal({.grid = dim3(1, 65536), .block = dim3(1)}), "1x65536x1 blocks"));
  CHECK(contains(refusal({.grid = dim3(1), .block = dim3(1), .dynamic_smem = 232449}),
                 "232449 bytes of dynamic shared memory: at most 232448"));
  CHECK(contains(refusal({.grid = dim3(3), .block = dim3(1), .cluster = dim3(2)}),
                 "cluster of 2x1x1"));
  DeviceArray<int> counter(std::vector<int>{0});
  const gpu::LaunchShape most{.grid = dim3(1), .block = dim3(1), .dynamic_smem = 232448};
  gpu::launch(count_up, gpu::launch_shape(count_up, most), nullptr, counter.data());
  CHECK(counter.values()[0] == 1);
  CHECK(contains(device_error_of([&] { gpu::launch(count_up, most, nullptr, counter.data()); }),
                 "gpu::launch_shape() has not allowed it"));
}

TEST_CASE("policies are read from text") {
  CHECK(runtime::parse_policy("late").completion == runtime::Completion::kLate);
  CHECK(runtime::parse_policy("early").completion == runtime::Completion::kEarly);
  CHECK(runtime::parse_policy("mix").completion == runtime::Completion::kMix);
  const runtime::Policy random = runtime::parse_policy("random:18446744073709551615");
  CHECK(random.completion == runtime::Completion::kRandom);
  CHECK(random.seed == 18446744073709551615u);
  for (const char* text : {"late", "early", "mix", "random:0", "random:42"}) {
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

namespace {

// Writes down in which order threads come by. One worker: nobody else increments the counter.
__global__ void record_order(int* order, int* counter) {
  order[(*counter)++] = static_cast<int>(threadIdx.x);
  __syncthreads();
  order[(*counter)++] = static_cast<int>(threadIdx.x);
}

std::vector<int> order_under(const std::string& policy) {
  runtime::set_policy(policy);
  DeviceArray<int> order(2 * 128), counter(std::vector<int>{0});
  gpu::launch(record_order, {.grid = dim3(1), .block = dim3(128)}, nullptr, order.data(),
              counter.data());
  return order.values();
}

std::vector<int> warps_in_order(const std::vector<int>& order) {
  std::vector<int> warps;
  for (const int thread : order) {
    if (std::find(warps.begin(), warps.end(), thread / 32) == warps.end()) {
      warps.push_back(thread / 32);
    }
  }
  return warps;
}

std::vector<int> lanes_in_order(const std::vector<int>& order, int warp) {
  std::vector<int> lanes;
  for (const int thread : order) {
    if (thread / 32 == warp) lanes.push_back(thread % 32);
  }
  return lanes;
}

}  // namespace

TEST_CASE(
    "the random policy draws the order of warps and lanes from its seed, the others keep it") {
  const KeepSettings keep;
  const std::vector<int> plain = order_under("late"), one = order_under("random:1"),
                         two = order_under("random:2");
  CHECK(order_under("late") == plain);
  CHECK(order_under("early") == plain);
  CHECK(order_under("mix") == plain);
  CHECK(order_under("random:1") == one);
  CHECK(one != two);
  // Both are shuffled: the warps (by their first threads) and the lanes of each.
  CHECK(warps_in_order(plain) == std::vector<int>{0, 1, 2, 3});
  bool warps_shuffled = false;
  for (int seed = 1; seed <= 5; ++seed) {
    const std::vector<int> order = order_under("random:" + std::to_string(seed));
    warps_shuffled |= warps_in_order(order) != warps_in_order(plain);
    CHECK(lanes_in_order(order, 2) != lanes_in_order(plain, 2));
  }
  CHECK(warps_shuffled);
  for (const std::vector<int>& order : {plain, one, two}) {
    for (const auto half :
         {order.begin(), order.begin() + 128}) {  // nobody passes the barrier early
      std::vector<int> sorted(half, half + 128);
      std::sort(sorted.begin(), sorted.end());
      std::vector<int> everybody(128);
      std::iota(everybody.begin(), everybody.end(), 0);
      CHECK(sorted == everybody);
    }
  }
}

namespace {

__global__ void record_block(int* order, int* counter) {
  order[(*counter)++] = static_cast<int>(blockIdx.x);
}

std::vector<int> blocks_under(const std::string& policy, int blocks) {
  runtime::set_policy(policy);
  runtime::set_workers(1);
  DeviceArray<int> order(blocks), counter(std::vector<int>{0});
  gpu::launch(record_block, {.grid = dim3(blocks), .block = dim3(1)}, nullptr, order.data(),
              counter.data());
  return order.values();
}

}  // namespace

TEST_CASE("the random policy draws the order of blocks from its seed, the others keep it") {
  const KeepSettings keep;
  for (const int blocks : {1, 2, 3, 4, 12, 97, 1000}) {
    CAPTURE(blocks);
    std::vector<int> plain(blocks);
    std::iota(plain.begin(), plain.end(), 0);
    for (const char* policy : {"late", "early", "mix"}) {
      CHECK(blocks_under(policy, blocks) == plain);
    }
    bool shuffled = false;
    for (int seed = 0; seed < 8; ++seed) {
      const std::string policy = "random:" + std::to_string(seed);
      std::vector<int> order = blocks_under(policy, blocks);
      CHECK(blocks_under(policy, blocks) == order);
      shuffled |= order != plain;
      std::sort(order.begin(), order.end());
      CHECK(order == plain);  // each once
    }
    CHECK(shuffled == (blocks > 1));
  }
}

// Semaphores in global memory: blocks that wait for earlier and for later ones, whatever the number
// of workers, and what is reported when that cannot end well.

#include "support.hpp"

#include <gpu/global.hpp>

#include <runtime/sanitizer.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

// Calls with 1, 2 and 4 workers, under each of these policies.
static void with_workers(std::initializer_list<const char*> policies,
                         const std::function<void()>& call) {
  const KeepSettings keep;
  for (const int workers : {1, 2, 4}) {
    for (const char* policy : policies) {
      runtime::set_workers(workers);
      runtime::set_policy(policy);
      CAPTURE(workers, policy);
      call();
    }
  }
}

// Blocks append their numbers one after the other: ascending, or descending when `later_first`.
static __global__ void in_turn(int* turn, int* order, bool later_first) {
  const int last = static_cast<int>(gridDim.x) - 1;
  const int mine = later_first ? last - static_cast<int>(blockIdx.x) : static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) gpu::semaphore_wait(turn, mine);
  __syncthreads();
  if (threadIdx.x == 33) order[mine] = static_cast<int>(blockIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) gpu::semaphore_release(turn, mine + 1);
}

TEST_CASE("blocks and clusters wait for earlier ones, and for later ones") {
  const bool later_first = GENERATE(false, true);
  const unsigned cluster = GENERATE(1u, 4u), blocks = 40;  // more wait than there are workers
  with_workers({"late", "random:1", "random:2", "random:3"}, [&] {
    const DeviceArray<int> turn(std::vector<int>{0}), order(blocks);
    gpu::launch(in_turn, {.grid = dim3(blocks), .block = dim3(64), .cluster = dim3(cluster)},
                nullptr, turn.data(), order.data(), later_first);
    std::vector<int> expected(blocks);
    std::iota(expected.begin(), expected.end(), 0);
    if (later_first) std::reverse(expected.begin(), expected.end());
    CHECK(order.values() == expected);
  });
}

TEST_CASE("a semaphore that nobody sets is a deadlock, reported for the first block") {
  const auto kernel = +[](int* semaphore) {
    if (blockIdx.x >= 3 && threadIdx.x == 5) gpu::semaphore_wait(semaphore + blockIdx.x, 2);
    __syncthreads();
  };
  with_workers({"late"}, [&] {
    const DeviceArray<int> semaphores(std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1});
    const std::string error = device_error_of(
        [&] { gpu::launch(kernel, blocks_of(10, 32), nullptr, semaphores.data()); });
    const std::string block = "block (3,0,0) thread";
    CHECK(error.substr(0, 10) == "deadlock: ");
    CHECK(contains(error, block + " 5 waits at tests/semaphore_test.cpp:"));
    CHECK(contains(error, " for a semaphore to be 2; it is 1"));
    CHECK(contains(error, block + "s 0-4, 6-31 wait at "));
    check_everything_works();
  });
}

TEST_CASE("a real error is preferred to the deadlocks that it causes") {
  const auto kernel = +[](int* turn, int failing) {
    const int block = static_cast<int>(blockIdx.x);
    if (block < 2 || block > 5) gpu::semaphore_wait(turn, 1);  // 5 would set it
    if (block >= failing) throw std::runtime_error("block " + std::to_string(block));
    if (block == 5) gpu::semaphore_release(turn, 1);
  };
  with_workers({"late"}, [&] {
    for (const int failing : {3, 4, 5}) {
      const DeviceArray<int> turn(std::vector<int>{0});
      std::string what;
      try {
        gpu::launch(kernel, blocks_of(30, 1), nullptr, turn.data(), failing);
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      CHECK(what == "block " + std::to_string(failing));
      check_everything_works();
    }
  });
}

// Block 0 stores a tile by a map of more memory than there is, and waits for block 1.
static __global__ void stores_and_waits(const __grid_constant__ gpu::TensorMap map,
                                        int* semaphore) {
  if (blockIdx.x == 0) {
    gpu::tma_store(map, {0, 0}, shared().tile);
    gpu::tma_store_commit();
    gpu::semaphore_wait(semaphore, 1);
    gpu::tma_store_wait<0>();
  } else {
    gpu::semaphore_release(semaphore, 1);
  }
}

TEST_CASE("what fails while a block that stood aside goes on is reported like anything else") {
  const KeepSettings keep;
  const DeviceArray<float> memory(32);
  runtime::set_workers(1);
  for (int seed = 0; seed < 60; ++seed) {
    runtime::set_policy("random:" + std::to_string(seed));
    const DeviceArray<int> semaphore(std::vector<int>{0});
    const std::string error = device_error_of([&] {
      gpu::launch(stores_and_waits, blocks_of(2, 1), nullptr, map_of(memory.data(), 64, 32, 64, 32),
                  semaphore.data());
    });
    CHECK(contains(error, "tma_store: the tensor map describes more than the allocation"));
  }
}

TEST_CASE("a launch that failed leaves no damage behind for the next one to report") {
  if (runtime::kAddressSanitizer) return;  // which reports the access itself
  fails({"4-byte store", "out of bounds"}, [](const Global g) {
    g.number[1] = g.values[-1] = 1;
    gpu::semaphore_release(g.number + 1, 1);  // fails
  });
}

// Semaphores in global memory: blocks that wait for earlier and for later ones, whatever the number
// of workers, and what is reported when that cannot end well.

#include "asynchrony.hpp"

#include <gpu/cluster.hpp>
#include <gpu/global.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <runtime/sanitizer.hpp>

#include <functional>
#include <stdexcept>

namespace {

constexpr const char* kFile = "semaphore_test.cpp";

// Calls with 1, 2 and 4 workers, under late and a few random seeds.
void with_workers(const std::function<void()>& call) {
  const KeepSettings keep;
  for (const int workers : {1, 2, 4}) {
    for (const char* policy : {"late", "random:1", "random:2", "random:3"}) {
      runtime::set_workers(workers);
      runtime::set_policy(policy);
      CAPTURE(workers, policy);
      call();
    }
  }
}

__global__ void record_block(int* order, int* counter) {
  order[(*counter)++] = static_cast<int>(blockIdx.x);
}

// Of blocks `from` to `last` the one that begins first, under the policy that is set.
std::string first_block(int blocks, int from, int last) {
  const int workers = runtime::workers();
  runtime::set_workers(1);  // nobody else increments the counter
  const DeviceArray<int> order(blocks), counter(std::vector<int>{0});
  gpu::launch(record_block, {.grid = dim3(blocks), .block = dim3(1)}, nullptr, order.data(),
              counter.data());
  runtime::set_workers(workers);
  for (const int block : order.values()) {
    if (block >= from && block <= last) return std::to_string(block);
  }
  return "none";
}

// Blocks append their numbers one after the other: ascending, or descending when `later_first`.
__global__ void in_turn(int* turn, int* order, bool later_first) {
  const int last = static_cast<int>(gridDim.x) - 1;
  const int mine = later_first ? last - static_cast<int>(blockIdx.x) : static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) gpu::semaphore_wait(turn, mine);
  __syncthreads();
  if (threadIdx.x == 33) order[mine] = static_cast<int>(blockIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) gpu::semaphore_release(turn, mine + 1);
}

// Every block waits for all others, `rounds` times: all of them must be resident together.
__global__ void meet_all(int* count, int* sums, int rounds) {
  const int blocks = static_cast<int>(gridDim.x);
  for (int round = 1; round <= rounds; ++round) {
    gpu::atomic_add(sums + round, static_cast<int>(blockIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) {
      gpu::semaphore_add(count + 2 * round, 1);
      gpu::semaphore_wait(count + 2 * round, blocks);
      if (sums[round] != 32 * (blocks - 1) * blocks / 2) sums[0] = 1;
    }
    __syncthreads();
  }
}

}  // namespace

TEST_CASE("blocks wait for earlier ones, and for later ones") {
  const bool later_first = GENERATE(false, true);
  const unsigned blocks = GENERATE(1u, 3u, 40u);  // 40: more wait than there are workers
  with_workers([&] {
    const DeviceArray<int> turn(std::vector<int>{0}), order(blocks);
    gpu::launch(in_turn, {.grid = dim3(blocks), .block = dim3(64)}, nullptr, turn.data(),
                order.data(), later_first);
    const std::vector<int> got = order.values();
    for (int i = 0; i < static_cast<int>(blocks); ++i) {
      CHECK(got[i] == (later_first ? static_cast<int>(blocks) - 1 - i : i));
    }
    CHECK(turn.values()[0] == static_cast<int>(blocks));
  });
}

TEST_CASE("the same by clusters") {
  with_workers([] {
    const DeviceArray<int> turn(std::vector<int>{0}), order(12);
    gpu::launch(in_turn, {.grid = dim3(12), .block = dim3(64), .cluster = dim3(4)}, nullptr,
                turn.data(), order.data(), true);
    const std::vector<int> got = order.values();
    for (int i = 0; i < 12; ++i) CHECK(got[i] == 11 - i);
  });
}

TEST_CASE("persistent blocks meet, however many there are") {
  with_workers([] {
    for (const int blocks : {1, 2, 20, 132}) {
      const DeviceArray<int> count(std::vector<int>(10, 0)), sums(std::vector<int>(5, 0));
      gpu::launch(meet_all, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(32)},
                  nullptr, count.data(), sums.data(), 4);
      CHECK(sums.values()[0] == 0);
    }
  });
}

TEST_CASE("threads of one block may wait for several semaphores, and for each other") {
  with_workers([] {
    const DeviceArray<int> semaphores(std::vector<int>(64, 0)), out(std::vector<int>{0});
    const auto kernel = +[](int* values, int* passed) {
      const unsigned t = threadIdx.x;
      if (blockIdx.x == 0) {
        if (t > 0) gpu::semaphore_wait(values + t, 1);
        if (t + 1 < blockDim.x) gpu::semaphore_release(values + t + 1, 1);
        gpu::atomic_add(passed, 1);
      } else if (t == 0) {
        gpu::semaphore_wait(passed, 64);
        gpu::semaphore_add(passed, 36);
      }
    };
    gpu::launch(kernel, {.grid = dim3(2), .block = dim3(64)}, nullptr, semaphores.data(),
                out.data());
    CHECK(out.values()[0] == 100);
  });
}

TEST_CASE("semaphores must lie in global memory") {
  const auto kernel = +[](int* address) {
    failing_line = __LINE__ + 1;
    gpu::semaphore_wait(address, 0);
  };
  int host = 0;
  check_error(device_error_of([&] { gpu::launch(kernel, one_block(1), nullptr, &host); }), kFile,
              {"4-byte load", "out of bounds"});
  const DeviceArray<int> one(std::vector<int>{0});
  const auto release = +[](int* address) {
    failing_line = __LINE__ + 1;
    gpu::semaphore_release(address, 0);
  };
  check_error(device_error_of([&] { gpu::launch(release, one_block(1), nullptr, one.data() + 1); }),
              kFile, {"4-byte store", "0 bytes past the end"});
  const auto add = +[](int* address) {
    failing_line = __LINE__ + 1;
    gpu::semaphore_add(address, 1);
  };
  check_error(device_error_of([&] { gpu::launch(add, one_block(1), nullptr, &host); }), kFile,
              {"4-byte store", "out of bounds"});
  CHECK(device_error_of([&] { gpu::semaphore_wait(&host, 0); }) ==
        "semaphore_wait outside a kernel");
}

TEST_CASE("a semaphore that nobody sets is a deadlock, reported for the first block") {
  const auto kernel = +[](int* semaphore) {
    failing_line = __LINE__ + 1;
    if (blockIdx.x >= 3 && threadIdx.x == 5) gpu::semaphore_wait(semaphore + blockIdx.x, 2);
    __syncthreads();
  };
  with_workers([&] {
    const DeviceArray<int> semaphores(std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1});
    const std::string error = device_error_of([&] {
      gpu::launch(kernel, {.grid = dim3(10), .block = dim3(32)}, nullptr, semaphores.data());
    });
    const std::string block = "block (" + first_block(10, 3, 9) + ",0,0) ";
    check_deadlock(error, {block + "thread 5 waits at " + place(kFile, failing_line) +
                               " for a semaphore to be 2; it is 1",
                           block + "threads 0-4, 6-31 wait at "});
  });
}

TEST_CASE("two blocks that wait for each other are a deadlock") {
  const auto kernel = +[](int* semaphores) {
    gpu::semaphore_wait(semaphores + blockIdx.x, 1);
    gpu::semaphore_release(semaphores + 1 - blockIdx.x, 1);
  };
  with_workers([&] {
    const DeviceArray<int> semaphores(std::vector<int>{0, 0});
    check_deadlock(
        device_error_of([&] {
          gpu::launch(kernel, {.grid = dim3(2), .block = dim3(1)}, nullptr, semaphores.data());
        }),
        {"block (" + first_block(2, 0, 1) + ",0,0) thread 0 waits at ", "to be 1; it is 0"});
  });
}

TEST_CASE("a real error is preferred to the deadlocks that it causes") {
  const auto kernel = +[](int* turn, int failing) {
    const int block = static_cast<int>(blockIdx.x);
    if (block < 2 || block > 5) gpu::semaphore_wait(turn, 1);  // 5 would set it
    if (block >= failing) throw std::runtime_error("block " + std::to_string(block));
    if (block == 5) gpu::semaphore_release(turn, 1);
  };
  with_workers([&] {
    for (const int failing : {3, 4, 5}) {
      const DeviceArray<int> turn(std::vector<int>{0});
      std::string what;
      try {
        gpu::launch(kernel, {.grid = dim3(30), .block = dim3(1)}, nullptr, turn.data(), failing);
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      CHECK(what == "block " + first_block(30, failing, 5));
      check_everything_works();
    }
  });
}

namespace {

struct Shared {
  alignas(128) float tile[64 * 32];
};

// Block 0 stores a tile by a map of more memory than there is, and waits for block 1.
__global__ void stores_and_waits(const __grid_constant__ gpu::TensorMap map, int* semaphore) {
  if (blockIdx.x == 0) {
    failing_line = __LINE__ + 1;
    gpu::tma_store(map, {0, 0}, gpu::static_smem<Shared>().tile);
    gpu::tma_store_commit();
    gpu::semaphore_wait(semaphore, 1);
    gpu::tma_store_wait<0>();
  } else {
    gpu::semaphore_release(semaphore, 1);
  }
}

}  // namespace

TEST_CASE("what fails while a block that stood aside goes on is reported like anything else") {
  const KeepSettings keep;
  const DeviceArray<float> memory(32);
  runtime::set_workers(1);
  for (int seed = 0; seed < 60; ++seed) {
    runtime::set_policy("random:" + std::to_string(seed));
    const DeviceArray<int> semaphore(std::vector<int>{0});
    const std::string error = device_error_of([&] {
      gpu::launch(stores_and_waits, {.grid = dim3(2), .block = dim3(1)}, nullptr,
                  map_of(memory.data(), 64, 32, 64, 32), semaphore.data());
    });
    check_error(error, kFile, {"tma_store", "more than the allocation"});
  }
}

TEST_CASE("a launch that failed leaves no damage behind for the next one to report") {
  if (runtime::kAddressSanitizer) return;  // which reports the access itself
  const DeviceArray<int> array(std::vector<int>(4, 0)), other(std::vector<int>(4, 0));
  const auto kernel = +[](int* first, int* second) {
    first[4] = second[-1] = 1;
    failing_line = __LINE__ + 1;
    gpu::semaphore_release(first + 4, 1);
  };
  check_error(device_error_of(
                  [&] { gpu::launch(kernel, one_block(1), nullptr, array.data(), other.data()); }),
              kFile, {"out of bounds"});
}

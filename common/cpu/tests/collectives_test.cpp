// Barriers, shuffles, exits, and what is reported when threads miss each other.

#include "support.hpp"

#include <gpu/shuffle.hpp>
#include <gpu/thread.hpp>

#include <cstdint>

namespace {

constexpr const char* kFile = "collectives_test.cpp";

__global__ void shuffles(int* out, int n) {
  const int thread = static_cast<int>(threadIdx.x);
  if (thread >= n) return;
  int* mine = out + 4 * thread;
  mine[0] = gpu::shuffle(100 + thread, 5);
  mine[1] = gpu::shuffle_xor(100 + thread, 3);
  mine[2] = gpu::shuffle_down(100 + thread, 4);
  mine[3] = gpu::shuffle_up(100 + thread, 4);
}

__global__ void sum_of_warp(float* out, int rounds) {
  float total = 0.0f;
  for (int i = 0; i < rounds; ++i) {
    float value = static_cast<float>(gpu::lane_index() + i);
    for (int step = 16; step > 0; step /= 2) value += gpu::shuffle_xor(value, step);
    total += value;
  }
  out[threadIdx.x] = total + 1000000.0f * static_cast<float>(gpu::warp_index());
}

std::string error_of(void (*kernel)(), int threads) {
  return device_error_of(
      [&] { gpu::launch(kernel, {.grid = dim3(1), .block = dim3(threads)}, nullptr); });
}

}  // namespace

TEST_CASE("shuffles move values between lanes") {
  DeviceArray<int> out(4 * 64);
  gpu::launch(shuffles, {.grid = dim3(1), .block = dim3(64)}, nullptr, out.data(), 64);
  const std::vector<int> got = out.values();
  for (int thread = 0; thread < 64; ++thread) {
    const int lane = thread % 32, first = thread - lane;
    CHECK(got[4 * thread] == 100 + first + 5);
    CHECK(got[4 * thread + 1] == 100 + (thread ^ 3));
    CHECK(got[4 * thread + 2] == 100 + (lane + 4 < 32 ? thread + 4 : thread));
    CHECK(got[4 * thread + 3] == 100 + (lane - 4 >= 0 ? thread - 4 : thread));
  }
}

TEST_CASE("lanes that are missing or gone are not waited for and read as poison") {
  const int threads = GENERATE(13, 32);  // a partial warp; a whole one of which 19 lanes leave
  DeviceArray<int> out(std::vector<int>(4 * 32, 0));
  gpu::launch(shuffles, {.grid = dim3(1), .block = dim3(threads)}, nullptr, out.data(), 13);
  const std::vector<int> got = out.values();
  for (int lane = 0; lane < 13; ++lane) {
    CHECK(got[4 * lane] == 105);
    CHECK(got[4 * lane + 1] == ((lane ^ 3) < 13 ? 100 + (lane ^ 3) : -1));
    CHECK(got[4 * lane + 2] == (lane + 4 < 13 ? 104 + lane : -1));
    CHECK(got[4 * lane + 3] == (lane >= 4 ? 96 + lane : 100 + lane));
  }
  for (int i = 4 * 13; i < 4 * 32; ++i) CHECK(got[i] == 0);
}

TEST_CASE("chains of shuffles survive any order of lanes and warps") {
  const KeepSettings keep;
  for (int seed = 0; seed < 20; ++seed) {
    runtime::set_policy("random:" + std::to_string(seed));
    DeviceArray<float> out(128);
    gpu::launch(sum_of_warp, {.grid = dim3(1), .block = dim3(128)}, nullptr, out.data(), 40);
    const std::vector<float> got = out.values();
    // 40 rounds of (0 + ... + 31) + 32 i
    const float expected = 40.0f * 496.0f + 32.0f * 780.0f;
    for (int thread = 0; thread < 128; ++thread) {
      CHECK(got[thread] == expected + 1000000.0f * static_cast<float>(thread / 32));
    }
  }
}

TEST_CASE("threads that have exited are not waited for at __syncthreads") {
  DeviceArray<int> out(std::vector<int>(96, 0));
  const auto kernel = +[](int* values) {
    if (threadIdx.x % 3 == 0) return;
    values[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x % 3 == 2) return;  // the last of these leaves when all others wait already
    __syncthreads();
    values[threadIdx.x] += values[threadIdx.x + 1];
  };
  gpu::launch(kernel, {.grid = dim3(1), .block = dim3(96)}, nullptr, out.data());
  const std::vector<int> got = out.values();
  for (int i = 0; i < 96; ++i) CHECK(got[i] == (i % 3 == 0 ? 0 : i % 3 == 1 ? 2 : 1));
}

TEST_CASE("warps may meet at __syncthreads from different lines") {
  DeviceArray<int> out(std::vector<int>(64, 0));
  const auto kernel = +[](int* values) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
    const int other = values[63 - threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = other;
  };
  gpu::launch(kernel, {.grid = dim3(1), .block = dim3(64)}, nullptr, out.data());
  const std::vector<int> got = out.values();
  for (int i = 0; i < 64; ++i) CHECK(got[i] == 63 - i);
}

TEST_CASE("lanes of one warp may not be at different __syncthreads") {
  constexpr int kLine = __LINE__ + 3;
  const auto kernel = +[] {
    if (threadIdx.x < 10) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  };
  CHECK(unquoted(error_of(kernel, 64)) ==
        place(kFile, kLine + 2) +
            ": __syncthreads while (block (0,0,0), thread 0) of the same warp "
            "is in the one at " +
            place(kFile, kLine) +
            ": all lanes of a warp must reach the same one (block (0,0,0), thread 10)");
}

TEST_CASE("sync_warp takes lanes from different lines, and orders them") {
  DeviceArray<int> out(32);
  const auto kernel = +[](int* values) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (threadIdx.x % 2 == 0) {
      gpu::sync_warp();
    } else {
      gpu::sync_warp();
    }
    const int other = values[31 - threadIdx.x];
    gpu::sync_warp();
    values[threadIdx.x] = other;
  };
  gpu::launch(kernel, {.grid = dim3(1), .block = dim3(32)}, nullptr, out.data());
  for (int i = 0; i < 32; ++i) CHECK(out.values()[i] == 31 - i);
}

TEST_CASE("a shuffle that meets another one, or another operation, is named") {
  constexpr int kLine = __LINE__ + 3;
  const auto two_places = +[] {
    if (threadIdx.x >= 4) {
      gpu::shuffle_xor(1.0f, 1);
    } else {
      gpu::shuffle_xor(1.0f, 1);
    }
  };
  CHECK(unquoted(error_of(two_places, 32)) ==
        place(kFile, kLine) +
            ": shuffle_xor while lanes 0-3 of the same warp are in shuffle_xor at " +
            place(kFile, kLine + 2) +
            ": all lanes of a warp must take part in the same one (block (0,0,0), thread 4)");

  const auto two_kinds = +[] {
    if (threadIdx.x == 40) gpu::shuffle(1, 0);
    gpu::sync_warp();
  };
  const std::string error = error_of(two_kinds, 64);
  CHECK(contains(error, "shuffle while lanes 0-7 of the same warp are in sync_warp"));
  CHECK(contains(error, "thread 40"));

  const auto other_way_round = +[] {
    if (threadIdx.x < 3) gpu::shuffle(1, 0);
    gpu::sync_warp();
  };
  CHECK(contains(error_of(other_way_round, 32),
                 "sync_warp while lanes 0-2 of the same warp are in shuffle"));
}

TEST_CASE("a deadlock is reported group by group") {
  constexpr int kLine = __LINE__ + 5;
  const auto kernel = +[] {
    const unsigned t = threadIdx.x;
    if (t >= 120 && t < 126) return;
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
  CHECK(unquoted(error_of(kernel, 128)) ==
        "deadlock: no thread can move"
        "\n  block (0,0,0) threads 0-31, 64-95 wait at " +
            place(kFile, kLine) +
            " in __syncthreads, 91 of 122 arrived"
            "\n  block (0,0,0) threads 32-36, 38-63 wait at " +
            place(kFile, kLine + 5) +
            " in shuffle, lanes 5 of the warp missing"
            "\n  block (0,0,0) thread 37 waits at " +
            place(kFile, kLine + 7) +
            " in __syncthreads, 91 of 122 arrived"
            "\n  block (0,0,0) threads 96-119, 126-127 wait at " +
            place(kFile, kLine + 3) +
            " in __syncthreads, 91 of 122 arrived"
            "\n  block (0,0,0) threads 120-125 have exited");
}

TEST_CASE("a deadlock names the block it happened in, and later launches run") {
  const KeepSettings keep;
  for (const int workers : {1, 2}) {
    runtime::set_workers(workers);
    const auto kernel = +[] {
      if (blockIdx.y == 2 && threadIdx.x == 0) gpu::sync_warp();
      __syncthreads();
    };
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::string error = device_error_of(
          [&] { gpu::launch(kernel, {.grid = dim3(3, 4), .block = dim3(64)}, nullptr); });
      CHECK(contains(error, "block (0,2,0) thread 0 waits"));
      CHECK(contains(error, "block (0,2,0) threads 1-63 wait"));
      gpu::launch(kernel, {.grid = dim3(3, 2), .block = dim3(64)}, nullptr);
    }
  }
}

TEST_CASE("collectives make no sense outside a kernel") {
  CHECK(device_error_of([] { __syncthreads(); }) == "__syncthreads outside a kernel");
  CHECK(device_error_of([] { gpu::shuffle(1, 0); }) == "shuffle outside a kernel");
}

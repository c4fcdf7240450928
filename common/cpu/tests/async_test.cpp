// cp.async: what lands when, what is refused, and what may not be under way at the end.

#include "asynchrony.hpp"

#include <gpu/cp_async.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

namespace {

constexpr const char* kFile = "async_test.cpp";

struct Shared {
  alignas(1024) float tile[4][32 * 32];
  gpu::Mbarrier full;
};

__device__ Shared& shared() {
  return gpu::static_smem<Shared>();
}

__device__ void init_full() {
  if (threadIdx.x == 0) {
    shared().full.init(1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
}

constexpr core::AlignedVector<float, 4> kOnes = {{1, 1, 1, 1}};

// One kernel of many bugs: `from` holds 32 x 32 floats, `map` describes them in one box.
struct Arguments {
  const float* from;
  gpu::TensorMap map;
};
using Kernel = void (*)(const Arguments);

std::string error_of(Kernel kernel, int threads) {
  const DeviceArray<float> values(std::vector<float>(32 * 32, 2.0f));
  const Arguments arguments{values.data(), map_of(values.data(), 32, 32, 32, 32)};
  return device_error_of([&] { gpu::launch(kernel, one_block(threads), nullptr, arguments); });
}

// Fails alike under every policy.
void check_fails(Kernel kernel, int threads, std::initializer_list<const char*> words) {
  under_every_policy([&] { check_error(error_of(kernel, threads), kFile, words); });
}

}  // namespace

namespace {

template <int kBytes>
__global__ void copy_through(const unsigned char* from, unsigned char* to, int rounds) {
  auto* smem = reinterpret_cast<unsigned char*>(shared().tile);
  const int mine = static_cast<int>(threadIdx.x) * kBytes,
            all = static_cast<int>(blockDim.x) * kBytes;
  for (int i = 0; i < 2; ++i) {  // two groups ahead
    gpu::cp_async<kBytes>(smem + i % 3 * all + mine, from + i * all + mine);
    gpu::cp_async_commit();
  }
  for (int i = 0; i < rounds; ++i) {
    if (i + 2 < rounds) {
      gpu::cp_async_zfill<kBytes>(smem + (i + 2) % 3 * all + mine, from + (i + 2) * all + mine,
                                  kBytes - i % 2);
    }
    gpu::cp_async_commit();  // the last ones are empty
    gpu::cp_async_wait<2>();
    // Each thread reads what it copied itself: no barrier is needed.
    for (int byte = 0; byte < kBytes; byte += 4) {
      const auto value = gpu::load_shared<4>(smem + i % 3 * all + mine + byte);
      gpu::store_global(to + i * all + mine + byte, value);
    }
  }
}

template <int kBytes>
void check_copy_through(int threads) {
  constexpr int kRounds = 8;
  std::vector<unsigned char> values(static_cast<std::size_t>(kRounds * threads * kBytes));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(7 * i + 1);
  const DeviceArray<unsigned char> from(values), to(values.size());
  gpu::launch(copy_through<kBytes>, one_block(threads), nullptr, from.data(), to.data(), kRounds);
  for (int round = 3; round < kRounds; round += 2) {
    for (int t = 0; t < threads; ++t) values[((round * threads) + t + 1) * kBytes - 1] = 0;
  }
  CHECK(to.values() == values);
}

}  // namespace

TEST_CASE("cp.async in a ring of three, by whole and partial warps") {
  const int threads = GENERATE(1, 7, 32, 50, 128);
  under_every_policy([&] {
    check_copy_through<4>(threads);
    check_copy_through<8>(threads);
    check_copy_through<16>(threads);
  });
}

TEST_CASE("cp.async with nothing valid needs no address, and wait_all needs no groups") {
  const auto kernel = +[](const Arguments) {
    float* to = shared().tile[0] + 4 * threadIdx.x;
    gpu::cp_async_if<16>(false, to, nullptr);
    gpu::cp_async_if<16>(false, to, nullptr);  // the same twice: no harm
    gpu::cp_async_wait_all();
    if (gpu::load_shared<4>(to)[3] != 0) __builtin_trap();
    gpu::store_shared(to, kOnes);
  };
  const Arguments none = {nullptr, {}};
  under_every_policy([&] { gpu::launch(kernel, one_block(33), nullptr, none); });
}

TEST_CASE("cp.async checks its addresses and its count") {
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::cp_async_zfill<8>(shared().tile, a.from, 9);
      },
      1, {"cp_async of 9 of 8 bytes", "thread 0"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::cp_async<16>(shared().tile[0] + 2, a.from);
      },
      1, {"16-byte store", "not 16-byte aligned"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::cp_async<16>(shared().tile, a.from + 1);
      },
      1, {"16-byte load", "not 16-byte aligned"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::cp_async<8>(shared().tile, a.from + 32 * 32);
      },
      1, {"8-byte load", "out of bounds", "0 bytes past the end"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::cp_async<4>(const_cast<float*>(a.from), a.from);
      },
      1, {"4-byte store", "this is global memory"});
}

TEST_CASE("shared memory that a cp.async fills cannot be touched before the wait") {
  check_fails(
      +[](const Arguments a) {
        gpu::cp_async<16>(shared().tile, a.from);
        gpu::cp_async_commit();
        gpu::cp_async_wait<1>();
        failing_line = __LINE__ + 1;
        gpu::load_shared<1>(shared().tile[0] + 3);
      },
      1, {"a load reads shared memory", "the cp_async at tests/async_test.cpp:", "not waited for"});
  check_fails(
      +[](const Arguments a) {
        gpu::cp_async<16>(shared().tile, a.from);
        failing_line = __LINE__ + 1;
        gpu::store_shared(shared().tile[0], kOnes);
      },
      1, {"a store overwrites shared memory", "the cp_async at", "not waited for"});
  check_fails(
      +[](const Arguments a) {
        gpu::cp_async<8>(shared().tile, a.from);
        failing_line = __LINE__ + 1;
        gpu::cp_async<16>(shared().tile, a.from + 4);
      },
      1, {"cp_async into shared memory", "the cp_async at", "something else"});
  check_fails(
      +[](const Arguments a) {
        gpu::cp_async<16>(shared().tile[0] + 4 * threadIdx.x, a.from + 4 * threadIdx.x);
        gpu::cp_async_commit();
        __syncthreads();  // in the wrong order
        std::uint32_t fragment[4];
        failing_line = __LINE__ + 1;
        gpu::ldmatrix(fragment, shared().tile[0] + 4 * threadIdx.x);
        gpu::cp_async_wait<0>();
      },
      32, {"a load reads shared memory", "the cp_async at"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        if (threadIdx.x == 1) gpu::cp_async<16>(shared().tile, a.from);
        __syncthreads();
        if (threadIdx.x == 0) {
          failing_line = __LINE__ + 1;
          gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
        }
        __syncthreads();
        gpu::cp_async_wait_all();
      },
      2, {"tma_load overwrites shared memory", "the cp_async at"});
}

TEST_CASE("a thread may not leave before its cp.async have landed") {
  check_fails(
      +[](const Arguments a) {
        if (threadIdx.x != 3) return;
        failing_line = __LINE__ + 1;
        gpu::cp_async<16>(shared().tile, a.from);
        gpu::cp_async_commit();
      },
      40, {"this cp_async is still under way", "exits", "cp_async_wait<0>()", "thread 3"});
}

TEST_CASE("matrices need all 32 lanes") {
  const auto kernel = +[](const Arguments) {
    if (threadIdx.x == 4) return;
    std::uint32_t fragment[1];
    failing_line = __LINE__ + 1;
    gpu::ldmatrix(fragment, shared().tile);
  };
  check_fails(kernel, 32, {"ldmatrix needs all 32 lanes", "lanes 4 have exited"});
  check_fails(kernel, 20, {"ldmatrix needs all 32 lanes", "lanes 4, 20-31"});
}

TEST_CASE("asynchronous words make no sense outside a kernel") {
  const gpu::TensorMap map = {};
  CHECK(device_error_of([] { gpu::cp_async<4>(nullptr, nullptr); }) == "cp_async outside a kernel");
  CHECK(device_error_of([] { gpu::cp_async_commit(); }) == "cp_async_commit outside a kernel");
  CHECK(device_error_of([&] {
          gpu::tma_store(map, {0, 0}, nullptr);
        }) == "tma_store outside a kernel");
  CHECK(device_error_of([] { gpu::tma_store_wait<0>(); }) == "tma_store_wait outside a kernel");
  CHECK(device_error_of([] { gpu::fence_proxy_async(); }) == "fence_proxy_async outside a kernel");
}

// TMA: what lands when, what is refused, and what may not be under way at the end.

#include "asynchrony.hpp"

#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

namespace {

constexpr const char* kFile = "tma_test.cpp";

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

// Loads a box of (4, 32), adds one, stores it, by several threads that each keep their own groups.
__global__ void add_one(const __grid_constant__ gpu::TensorMap from,
                        const __grid_constant__ gpu::TensorMap to, int rounds) {
  init_full();
  const int t = static_cast<int>(threadIdx.x);
  float* mine = shared().tile[0] + 128 * t;
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) gpu::tma_store_wait_read<0>();
    gpu::fence_proxy_async();
    __syncthreads();
    if (t == 0) shared().full.arrive_and_expect(blockDim.x * 512);
    gpu::tma_load(mine, from, {0, 4 * (round * static_cast<int>(blockDim.x) + t)}, shared().full);
    shared().full.wait(round & 1);
    for (int i = 0; i < 128; ++i) {
      gpu::store_shared(mine + i,
                        core::AlignedVector<float, 1>{{gpu::load_shared<1>(mine + i)[0] + 1}});
    }
    gpu::fence_proxy_async_shared();
    gpu::tma_store(to, {0, 4 * (round * static_cast<int>(blockDim.x) + t)}, mine);
    gpu::tma_store_commit();
    gpu::tma_store_commit();  // an empty group
  }
  gpu::tma_store_wait<1>();  // the empty one may remain
}

}  // namespace

TEST_CASE("several threads load and store boxes, each with groups of its own") {
  const int threads = GENERATE(1, 5, 8);
  under_every_policy([&] {
    const int rows = 4 * 5 * threads;
    std::vector<float> values;
    for (int i = 0; i < 32 * rows; ++i) values.push_back(static_cast<float>(i));
    const DeviceArray<float> from(values), to(values.size());
    gpu::launch(add_one, one_block(threads), nullptr, map_of(from.data(), rows, 32, 4, 32),
                map_of(to.data(), rows, 32, 4, 32), 5);
    for (float& value : values) value += 1;
    CHECK(to.values() == values);
  });
}

TEST_CASE("TMA checks its tile, its coordinates and its mask") {
  check_fails(
      +[](const Arguments a) {
        init_full();
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile[3] + 512, a.map, {0, 0}, shared().full);
      },
      1, {"tma_load: the tile of 4096 bytes", "not lie within", "thread 0"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::tma_store(a.map, {0, 0}, shared().tile[0] + 16);
      },
      1, {"tma_store: the tile lies at shared offset", "with no swizzle", "multiple of 128"});
  check_fails(
      +[](const Arguments a) {
        gpu::TensorMap map = a.map;
        map.shape.swizzle = core::SwizzleMode::k64B;
        failing_line = __LINE__ + 1;
        gpu::tma_store(map, {0, 0}, shared().tile[0] + 32);
      },
      1, {"tma_store: the tile lies", "64-byte swizzle", "multiple of 512"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile, a.map, {0, 0, 0}, shared().full);
      },
      1, {"tma_load with 3 coordinates", "rank 2"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        failing_line = __LINE__ + 1;
        gpu::tma_load_multicast(shared().tile, a.map, {0, 0}, shared().full, 2);
      },
      1, {"tma_load_multicast: the mask 2", "cluster of 1"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
      },
      1, {"tma_load on shared offset", "no mbarrier"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        gpu::TensorMap map = a.map;
        map.shape.size[1] = 33;
        shared().full.arrive_and_expect(4096);
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile, map, {0, 1}, shared().full);
        shared().full.wait(0);
      },
      1, {"tma_load: the tensor map describes more than the allocation"});
}

TEST_CASE("shared memory that TMA fills or reads cannot be touched meanwhile") {
  check_fails(
      +[](const Arguments a) {
        init_full();
        shared().full.arrive_and_expect(4096);
        gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
        failing_line = __LINE__ + 1;
        gpu::load_shared<4>(shared().tile[0] + 64);
      },
      1,
      {"a load reads shared memory", "the TMA load at tests/tma_test.cpp:", "nobody has waited",
       "the mbarrier at shared offset"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        shared().full.arrive_and_expect(4096);
        gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
        failing_line = __LINE__ + 1;
        gpu::store_shared(shared().tile[0] + 64, kOnes);
      },
      1, {"a store overwrites", "the TMA load at", "before anybody has waited"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        shared().full.arrive_and_expect(8192);
        gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
      },
      1, {"tma_load overwrites", "the TMA load at"});
  check_fails(
      +[](const Arguments a) {
        gpu::tma_store(a.map, {0, 0}, shared().tile);
        gpu::tma_store_commit();
        gpu::tma_store_wait_read<1>();
        failing_line = __LINE__ + 1;
        gpu::store_shared(shared().tile[0], kOnes);
      },
      1, {"a store overwrites", "the TMA store at", "tma_store_wait_read first"});
  check_fails(
      +[](const Arguments a) {
        gpu::store_shared(shared().tile[0] + 4 * threadIdx.x, kOnes);
        __syncthreads();
        if (threadIdx.x > 0) return;
        gpu::fence_proxy_async();  // too late, and by the wrong thread
        failing_line = __LINE__ + 1;
        gpu::tma_store(a.map, {0, 0}, shared().tile);
      },
      2, {"tma_store reads shared offset", "thread 1 wrote", "without fence_proxy_async()"});
}

TEST_CASE("nothing of TMA may be under way at the end") {
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::tma_store(a.map, {0, 0}, shared().tile);
      },
      1, {"this TMA store is still under way", "tma_store_commit() and"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::tma_store(a.map, {0, 0}, shared().tile);
        gpu::tma_store_commit();
      },
      1, {"this TMA store is still under way", "tma_store_wait_read<0>() first"});
  check_fails(
      +[](const Arguments a) {
        init_full();
        shared().full.arrive_and_expect(4096);
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile, a.map, {0, 0}, shared().full);
      },
      1, {"nobody has waited for this TMA load", "block (0,0,0)", "exits"});
}

TEST_CASE("a store begins inside the tensor and ends at 16 bytes") {
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::tma_store(a.map, {0, -1}, shared().tile);
      },
      1, {"tma_store: coordinate 1 is -1", "begins inside the tensor"});
  check_fails(
      +[](const Arguments a) {
        failing_line = __LINE__ + 1;
        gpu::tma_load(shared().tile, a.map, {1, 0}, shared().full);
      },
      1, {"the box begins in column 1", "not a multiple of 16 bytes"});
}

TEST_CASE("a store whose rows end inside of 16 bytes would write past their end") {
  const DeviceArray<float> values(32 * 32);
  const gpu::TensorMap map =
      gpu::make_tensor_map(values.data(), {.rank = 2,
                                           .size = {30, 32},
                                           .stride_bytes = {0, 128},
                                           .box = {32, 32},
                                           .swizzle = core::SwizzleMode::kNone});
  const auto kernel = +[](const Arguments a) {
    failing_line = __LINE__ + 1;
    gpu::tma_store(a.map, {0, 0}, shared().tile);
  };
  const std::string error = device_error_of([&] {
    gpu::launch(kernel, {.grid = dim3(1), .block = dim3(1), .dynamic_smem = sizeof(Shared)},
                nullptr, Arguments{values.data(), map});
  });
  CHECK(contains(error, "rows of 30 elements"));
  CHECK(contains(error, "would write past their end"));
}

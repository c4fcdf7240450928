// Device memory, shared memory, and the checks of accesses to them.

#include "support.hpp"

#include <runtime/memory.hpp>
#include <runtime/sanitizer.hpp>

#include <cmath>
#include <cstdint>

const gpu::LaunchShape kOneThread = one_block(1);

TEST_CASE("device memory is aligned, poisoned, and null when empty") {
  CHECK(gpu::allocate(0) == nullptr);
  gpu::release(nullptr);
  for (const std::size_t bytes : {1, 2, 255, 256, 257, 100000}) {
    void* memory = gpu::allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
    std::vector<std::uint8_t> content(bytes);
    gpu::copy_to_host(content.data(), memory, bytes);
    CHECK(content == std::vector<std::uint8_t>(bytes, 0xff));
    gpu::fill_bytes(memory, 0x5a, bytes);
    gpu::copy_to_host(content.data(), memory, bytes);
    CHECK(content == std::vector<std::uint8_t>(bytes, 0x5a));
    gpu::release(memory);
  }
}

TEST_CASE("copies from the host stay within an allocation") {
  DeviceArray<int> array(10);
  int host[16] = {};
  gpu::copy_to_device(array.data() + 4, host, 6 * sizeof(int));
  CHECK(contains(device_error_of([&] { gpu::copy_to_device(array.data() + 5, host, 24); }),
                 "gpu::copy_to_device: 24 bytes at 0x"));
  CHECK(contains(device_error_of([&] { gpu::copy_to_host(host, array.data() - 1, 4); }),
                 "gpu::copy_to_host: 4 bytes at 0x"));
  CHECK(
      contains(device_error_of([&] { gpu::fill_bytes(host, 0, 4); }), "not within device memory"));
  CHECK(contains(device_error_of([] { gpu::allocate(~std::size_t{0} - 100); }),
                 "gpu::allocate: no memory"));
}

TEST_CASE("misaligned accesses are named with place, block and thread") {
  fails(blocks_of(2, 32), {"16-byte load", "not 16-byte aligned (block (1,0,0), thread 5)"},
        [](const Global g) {
          if (blockIdx.x == 1 && threadIdx.x == 5) gpu::load_global<4>(g.values + 2);  // fails
        });
  fails({"8-byte store at 0x"}, [](const Global g) {
    gpu::store_global(g.values + 1, core::AlignedVector<float, 2>{});  // fails
  });
}

TEST_CASE("words outside of every allocation are named with the distance to the nearest") {
  DeviceArray<float> array(std::vector<float>(100, 1.0f));
  const auto load = +[](const float* p, float* out) { *out = gpu::load_global<4>(p)[0]; };
  const auto error_at = [&](const float* p) {
    DeviceArray<float> out(1);
    return device_error_of([&] { gpu::launch(load, kOneThread, nullptr, p, out.data()); });
  };
  CHECK(contains(error_at(array.data() + 100),
                 "out of bounds: 0 bytes past the end of the 400-byte allocation at 0x"));
  CHECK(contains(error_at(array.data() - 8), "32 bytes before the 400-byte allocation"));

  DeviceArray<float> odd(std::vector<float>(98, 1.0f));
  CHECK(contains(error_at(odd.data() + 96),
                 "only 8 of its 16 bytes are within the 392-byte allocation"));
  CHECK(contains(error_at(nullptr), "16-byte load at 0x0 out of bounds"));
}

TEST_CASE("plain stores into a guard zone are found after the launch") {
  if (runtime::kAddressSanitizer) return;  // reports the store itself and ends the program
  DeviceArray<std::uint8_t> array(std::vector<std::uint8_t>(10, 1));
  const auto store = +[](std::uint8_t* p, int i) { p[i] = 7; };
  const auto error_at = [&](int i) {
    return device_error_of([&] { gpu::launch(store, kOneThread, nullptr, array.data(), i); });
  };
  CHECK(contains(error_at(10), "a kernel wrote out of bounds: allocation 0x"));
  CHECK(contains(error_at(10), "of 10 bytes was overrun 0 bytes past its end"));
  CHECK(contains(error_at(-1), "1 bytes before its beginning"));
  gpu::launch(store, kOneThread, nullptr, array.data(), 9);
  CHECK(array.values()[9] == 7);
}

// --- Shared memory ----------------------------------------------------------------------------

namespace {

struct Tile {
  float values[64];
};
}  // namespace

TEST_CASE("shared memory: one object per type and block, apart, aligned, poisoned at its start") {
  struct Storage {
    alignas(1024) float values[64];
  };
  const KeepSettings keep;
  runtime::set_workers(1);  // blocks follow each other in the same memory
  DeviceArray<int> faults(std::vector<int>(2, 0));
  const auto kernel = +[](int* count) {
    auto& dynamic = gpu::dynamic_smem<Storage>().values;
    auto& tile = gpu::static_smem<Tile>().values;
    if (reinterpret_cast<std::uintptr_t>(dynamic) % 1024 != 0) ++count[0];
    const unsigned t = threadIdx.x;
    if (!std::isnan(tile[t]) || !std::isnan(dynamic[t])) ++count[0];
    __syncthreads();
    tile[t] = static_cast<float>(t + blockIdx.x);
    dynamic[t] = 1.0f;
    __syncthreads();
    auto& again = gpu::static_smem<Tile>().values;
    if (again[63 - t] != static_cast<float>(63 - t + blockIdx.x)) ++count[1];
  };
  gpu::LaunchShape shape = blocks_of(5, 64);
  shape.dynamic_smem = sizeof(Storage);
  gpu::launch(kernel, shape, nullptr, faults.data());
  CHECK(faults.values() == std::vector<int>(2, 0));
  shape.dynamic_smem = 255;
  CHECK(contains(device_error_of([&] { gpu::launch(kernel, shape, nullptr, faults.data()); }),
                 "dynamic_smem of 1024 bytes, launched with 255"));
}

TEST_CASE("a block has 48 KB of static and 227 KB of shared memory in all") {
  struct Half {
    char bytes[30000];
  };
  struct More {
    char bytes[30000];
  };
  const auto both = +[] {
    gpu::static_smem<Half>();
    gpu::static_smem<More>();
  };
  CHECK(contains(device_error_of([&] { gpu::launch(both, kOneThread, nullptr); }),
                 "shared memory: 60000 static bytes beside 0 dynamic ones"));
  const auto one = +[] { gpu::static_smem<Half>(); };
  const auto launch_with = [&](std::size_t bytes) {
    const gpu::LaunchShape shape{.grid = dim3(1), .block = dim3(1), .dynamic_smem = bytes};
    gpu::launch(one, gpu::launch_shape(one, shape), nullptr);
  };
  launch_with(202448);
  CHECK(contains(device_error_of([&] { launch_with(202449); }),
                 "30000 static bytes beside 202449 dynamic ones"));
}

TEST_CASE("intrinsics check addresses in shared memory") {
  fails({"16-byte store at shared offset", "not 16-byte aligned"}, [](const Global) {
    gpu::store_shared(gpu::static_smem<Tile>().values + 2, kOnes);  // fails
  });
  fails({"is outside of the block's 0 dynamic bytes"}, [](const Global) {
    gpu::load_shared<4>(gpu::static_smem<Tile>().values + 64);  // fails
  });
  fails({"this is global memory"}, [](const Global g) {
    gpu::load_shared<4>(g.values);  // fails
  });
  fails({"this is shared memory"}, [](const Global) {
    gpu::load_global<4>(gpu::static_smem<Tile>().values);  // fails
  });
}

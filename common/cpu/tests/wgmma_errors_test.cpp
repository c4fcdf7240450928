// wgmma used wrongly: every rule of issuing, waiting and describing.

#include "asynchrony.hpp"
#include "wgmma_tiles.hpp"

#include <gpu/cp_async.hpp>
#include <gpu/tma.hpp>

namespace {

using namespace tiles;

constexpr const char* kFile = "wgmma_errors_test.cpp";

using Kernel = void (*)(int* unused);

void check_fails(Kernel kernel, std::initializer_list<const char*> words, int threads = 128) {
  under_every_policy([&] {
    const DeviceArray<int> wrong(std::vector<int>{0});
    const std::string error =
        device_error_of([&] { gpu::launch(kernel, one_block(threads), nullptr, wrong.data()); });
    check_error(error, kFile, words);
  });
}

}  // namespace

TEST_CASE("the stage that wait<1> leaves alone may not be overwritten") {
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        for (int i = 0; i < 2; ++i) {
          multiply(acc, i);
          gpu::wgmma_commit();
        }
        gpu::wgmma_wait<1>();
        __syncthreads();
        failing_line = __LINE__ + 1;
        gpu::store_shared(shared().b[1], core::AlignedVector<bf16, 8>{});
      },
      {"a store overwrites", "the wgmma at tests/wgmma_tiles.hpp:", "has not waited"});
}

TEST_CASE("fences around registers are demanded") {
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"wgmma without wgmma_fence()", "accumulator"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        gpu::wgmma_fence();
        for (int i = 0; i < 2; ++i) {
          failing_line = __LINE__ + 1;
          gpu::wgmma<bf16>(acc, a, b);
          gpu::wgmma_commit();
          gpu::wgmma_wait<0>();
          acc[2] += 1;
        }
      },
      {"wgmma without wgmma_fence()", "accumulator"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        const std::uint32_t fragment[4] = {};
        gpu::wgmma_fence();
        multiply(acc, 0);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
        const auto b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, fragment, b);
      },
      {"wgmma without wgmma_fence()", "registers of A"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        std::uint32_t first[4] = {}, second[4] = {};
        const auto b = descriptor(shared().b[0]);
        for (int i = 0; i < 4; ++i) {
          auto& fragment = i % 2 == 0 ? first : second;
          fragment[1] += 1;  // while the last but one is under way
          gpu::wgmma_fence();
          failing_line = __LINE__ + 1;
          gpu::wgmma<bf16>(acc, fragment, b);
          gpu::wgmma_commit();
        }
      },
      {"registers of A were rewritten while", "wgmma_wait first"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        std::uint32_t fragment[4] = {};
        const auto b = descriptor(shared().b[0]);
        gpu::wgmma_fence();
        for (int i = 0; i < 2; ++i) {
          failing_line = __LINE__ + 1;
          gpu::wgmma<bf16>(acc, fragment, b);
          gpu::wgmma_commit();
          gpu::wgmma_wait<0>();
          fragment[3] = 1;
        }
      },
      {"registers of A were rewritten without", "wgmma_fence()"});
}

TEST_CASE("accumulators belong to the wgmma until the wait") {
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        multiply(acc, 0);
        gpu::wgmma_commit();
        failing_line = __LINE__ + 1;
        gpu::from_float<bf16>(acc[0], acc[1]);
      },
      {"from_float of an accumulator", "wgmma_wait first"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        multiply(acc, 0);
        gpu::wgmma_commit();
        acc[3] = 0;
        failing_line = __LINE__ + 1;
        gpu::wgmma_wait<0>();
      },
      {"accumulator register 3 was written", "under way"});
  check_fails(
      +[](int*) {
        fill();
        float acc[8] = {};
        gpu::wgmma_fence();
        multiply(reinterpret_cast<float(&)[4]>(acc), 0);
        gpu::wgmma_commit();
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"lies where another one lay", "still writing"});
  check_fails(
      +[](int*) {
        fill();
        float first[4] = {}, second[4] = {};
        gpu::wgmma_fence();
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        for (int i = 0; i < 2; ++i) {
          auto& acc = i == 0 && threadIdx.x >= 64 ? second : first;
          failing_line = __LINE__ + 1;
          gpu::wgmma<bf16>(acc, a, b);
        }
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"this thread's accumulator is another array"});
}

TEST_CASE("a warpgroup acts as one") {
  check_fails(
      +[](int*) {
        fill();
        if (threadIdx.x < 128) return;
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"wgmma needs a warpgroup of 128"}, 192);
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        const int stage = threadIdx.x < 64 ? 0 : 1;
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[stage]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"wgmma while other threads", "other arguments", "all 128"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        multiply(acc, 0);
        if (threadIdx.x < 32) gpu::wgmma_commit();
        __syncthreads();
        multiply(acc, 0);
        if (threadIdx.x >= 32) {
          failing_line = __LINE__ + 1;
          gpu::wgmma_commit();
        }
        __syncthreads();
      },
      {"wgmma_commit after another number"});
}

TEST_CASE("operands are checked: place, swizzle, writers, loads under way") {
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = descriptor(shared().a[0] + 64), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"operand A starts at shared offset", "32-byte swizzle", "multiples of 256"});
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = gpu::matrix_descriptor(shared().a[0], core::SwizzleMode::k32B, 16, 8192);
        const auto b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"operand A reaches shared offset", "outside of", "SBO 8192"});
  check_fails(
      +[](int*) {
        fill();
        gpu::store_shared(shared().b[0] + 8 * (threadIdx.x % 16), core::AlignedVector<bf16, 8>{});
        __syncthreads();
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"wgmma reads shared offset", "ordinary store", "fence_proxy_async()"});
  check_fails(
      +[](int* global) {
        fill();
        if (threadIdx.x == 0) gpu::cp_async<4>(shared().b[0], global);
        __syncthreads();
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
        gpu::cp_async_wait_all();
      },
      {"wgmma reads shared memory", "the cp_async at"});
}

TEST_CASE("a descriptor that finds two units in one place contradicts itself") {
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = gpu::matrix_descriptor(shared().a[0], core::SwizzleMode::k32B, 256, 16);
        const auto b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_commit();
        gpu::wgmma_wait<0>();
      },
      {"operand A finds two of its 16-byte units", "(LBO 256, SBO 16, 32-byte swizzle)"});
}

namespace {

// B comes by TMA with a swizzle of its own; wgmma reads it with 32 bytes', after the wait or
// before.
__global__ void multiply_loaded(const __grid_constant__ gpu::TensorMap map, bool waits) {
  fill();
  Shared& smem = shared();
  if (threadIdx.x == 0) {
    smem.full.init(1);
    smem.full.arrive_and_expect(256);
    gpu::tma_load(smem.b[0], map, {0, 0}, smem.full);
  }
  __syncthreads();
  if (waits) smem.full.wait(0);
  float acc[4] = {};
  gpu::wgmma_fence();
  const auto a = descriptor(smem.a[0]), b = descriptor(smem.b[0]);
  failing_line = __LINE__ + 1;
  gpu::wgmma<bf16>(acc, a, b);
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
}

}  // namespace

TEST_CASE("a tile that TMA brings must have come, with the swizzle that is described") {
  const DeviceArray<bf16> values(std::vector<bf16>(8 * 16, core::from_float<bf16>(1)));
  const auto error_of = [&](core::SwizzleMode swizzle, bool waits) {
    return device_error_of([&] {
      gpu::launch(multiply_loaded, one_block(128), nullptr,
                  map_of(values.data(), 8, 16, 8, 16, swizzle), waits);
    });
  };
  under_every_policy([&] {
    check_error(error_of(core::SwizzleMode::k128B, true), kFile,
                {"operand B is described with 32-byte", "128-byte swizzle"});
    check_error(error_of(core::SwizzleMode::k32B, false), kFile,
                {"wgmma reads shared memory", "the TMA load at", "nobody has waited"});
    gpu::launch(multiply_loaded, one_block(128), nullptr,
                map_of(values.data(), 8, 16, 8, 16, core::SwizzleMode::k32B), true);
  });
}

TEST_CASE("a thread may not leave before its wgmmas are done, and a missing one is reported") {
  check_fails(
      +[](int*) {
        fill();
        float acc[4] = {};
        gpu::wgmma_fence();
        const auto a = descriptor(shared().a[0]), b = descriptor(shared().b[0]);
        failing_line = __LINE__ + 1;
        gpu::wgmma<bf16>(acc, a, b);
        gpu::wgmma_wait<0>();
      },
      {"this wgmma is still under way", "wgmma_commit()", "exits"});
  const auto alone = +[](int*) {
    fill();
    if (threadIdx.x >= 96) return;
    float acc[4] = {};
    gpu::wgmma_fence();
    multiply(acc, 0);
    gpu::wgmma_commit();
    failing_line = __LINE__ + 1;
    gpu::wgmma_wait<0>();
  };
  under_every_policy([&] {
    const std::string error =
        device_error_of([&] { gpu::launch(alone, one_block(128), nullptr, nullptr); });
    check_deadlock(
        error,
        {"threads 0-95 wait at " + place(kFile, failing_line),
         "in wgmma_wait: 96 of 128 threads have issued the wgmma at tests/wgmma_tiles.hpp:"});
  });
  CHECK(device_error_of([] { gpu::wgmma_fence(); }) == "wgmma_fence outside a kernel");
  CHECK(device_error_of([] { gpu::wgmma_wait<0>(); }) == "wgmma_wait outside a kernel");
}

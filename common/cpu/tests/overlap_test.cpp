// Grids that may begin before the one before them is done: who touches global memory too early.

#include "asynchrony.hpp"

#include <gpu/cp_async.hpp>
#include <gpu/global.hpp>
#include <gpu/grid.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <type_traits>

namespace {

constexpr const char* kFile = "overlap_test.cpp";
constexpr const char* kEarly = "before this thread's wait_for_prior_grid()";

enum class By { kLoad, kStore, kAtomic, kSemaphore, kCopy, kTmaLoad, kTmaStore };

struct Arguments {
  float* values;
  int* number;
  gpu::TensorMap map;  // of the values, in one box
};

struct Shared {
  alignas(1024) float tile[32 * 32];
  gpu::Mbarrier full;
};

// One thread accesses global memory; `kWaiting` waits for the grid before.
template <By kBy, int kWaiting, int kAccessing>
__global__ void access(const Arguments arguments) {
  auto& shared = gpu::static_smem<Shared>();
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    shared.full.init(1);
    gpu::fence_mbarrier_init();
  }
  if (thread == kWaiting) gpu::wait_for_prior_grid();
  gpu::fence_proxy_async();
  __syncthreads();
  if (thread != kAccessing) return;
  float* const values = arguments.values;
  failing_line = __LINE__ + 1;
  if constexpr (kBy == By::kLoad) gpu::store_shared(shared.tile, gpu::load_global<4>(values));
  if constexpr (kBy == By::kStore) {
    failing_line = __LINE__ + 1;
    gpu::store_global(values, core::AlignedVector<float, 4>{});
  }
  if constexpr (kBy == By::kAtomic) {
    failing_line = __LINE__ + 1;
    gpu::atomic_add(values, 1.0f);
  }
  if constexpr (kBy == By::kSemaphore) {
    failing_line = __LINE__ + 1;
    gpu::semaphore_wait(arguments.number, 0);
  }
  if constexpr (kBy == By::kCopy) {
    failing_line = __LINE__ + 1;
    gpu::cp_async<16>(shared.tile, values);
    gpu::cp_async_commit();
    gpu::cp_async_wait<0>();
  }
  if constexpr (kBy == By::kTmaLoad) {
    shared.full.arrive_and_expect(sizeof shared.tile);
    failing_line = __LINE__ + 1;
    gpu::tma_load(shared.tile, arguments.map, {0, 0}, shared.full);
    shared.full.wait(0);
  }
  if constexpr (kBy == By::kTmaStore) {
    failing_line = __LINE__ + 1;
    gpu::tma_store(arguments.map, {0, 0}, shared.tile);
    gpu::tma_store_commit();
    gpu::tma_store_wait<0>();
  }
}

template <By kBy, int kWaiting, int kAccessing>
void launch(bool programmatic) {
  const DeviceArray<float> values(std::vector<float>(32 * 32, 2.0f));
  const DeviceArray<int> number(std::vector<int>(1, 0));
  const Arguments arguments{values.data(), number.data(), map_of(values.data(), 32, 32, 32, 32)};
  gpu::LaunchShape shape = one_block(64);
  shape.programmatic = programmatic;
  gpu::launch(access<kBy, kWaiting, kAccessing>, shape, nullptr, arguments);
}

constexpr int kNobody = -1;

template <class Test>
void for_each_way(const Test& test) {
  const auto with = [&]<By kBy>(std::integral_constant<By, kBy> by) {
    CAPTURE(static_cast<int>(kBy));
    test(by);
  };
  with(std::integral_constant<By, By::kLoad>{});
  with(std::integral_constant<By, By::kStore>{});
  with(std::integral_constant<By, By::kAtomic>{});
  with(std::integral_constant<By, By::kSemaphore>{});
  with(std::integral_constant<By, By::kCopy>{});
  with(std::integral_constant<By, By::kTmaLoad>{});
  with(std::integral_constant<By, By::kTmaStore>{});
}

}  // namespace

TEST_CASE("global memory before the grid before is done", "[overlap]") {
  for_each_way([]<By kBy>(std::integral_constant<By, kBy>) {
    under_every_policy([] {
      check_error(device_error_of([] { launch<kBy, kNobody, 33>(true); }), kFile,
                  {"(block (0,0,0), thread 33)", kEarly});
      // Another thread has waited, not this one.
      check_error(device_error_of([] { launch<kBy, 0, 33>(true); }), kFile, {kEarly});
    });
  });
}

TEST_CASE("global memory after waiting, or where there is nothing to wait for", "[overlap]") {
  for_each_way([]<By kBy>(std::integral_constant<By, kBy>) {
    under_every_policy([] {
      CHECK_NOTHROW(launch<kBy, 33, 33>(true));
      CHECK_NOTHROW(launch<kBy, 33, 33>(false));
      CHECK_NOTHROW(launch<kBy, kNobody, 33>(false));
      // It is forgotten with the launch.
      CHECK_THROWS_AS((launch<kBy, kNobody, 33>(true)), core::DeviceError);
    });
  });
}

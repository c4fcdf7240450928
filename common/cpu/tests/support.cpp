#include "support.hpp"

#include <gpu/global.hpp>
#include <runtime/report.hpp>

// A kernel that uses every asynchronous word correctly: what must still work after a launch that
// failed.
namespace {

constexpr int kBlocks = 4;

struct Tiles {
  alignas(1024) core::bf16 a[64 * 16];  // (64, 16) K-major, 32-byte swizzle
  alignas(1024) core::bf16 b[8 * 16];   // (8, 16) K-major, 32-byte swizzle
  alignas(1024) float d[64 * 8];        // (64, 8) row-major
  gpu::Mbarrier full;
};

// D (64 rows per block, 8) = A (64 rows per block, 16) B^T, B (8, 16). Clusters of two; the first
// block of each brings B to both. Blocks store one after the other.
__global__ void everything(const core::bf16* a, const __grid_constant__ gpu::TensorMap map_b,
                           const __grid_constant__ gpu::TensorMap map_d, int* turn) {
  auto& smem = gpu::static_smem<Tiles>();
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  if (thread == 0) {
    smem.full.init(1);
    gpu::fence_mbarrier_init();
  }
  gpu::cluster_sync();
  if (thread == 0) {
    smem.full.arrive_and_expect(sizeof smem.b);
    if (gpu::cluster_rank() == 0) gpu::tma_load_multicast(smem.b, map_b, {0, 0}, smem.full, 3);
  }
  const auto offset = core::swizzled(core::SwizzleMode::k32B, 16 * threadIdx.x);
  gpu::cp_async<16>(smem.a + offset / 2, a + block * 64 * 16 + thread * 8);
  gpu::cp_async_commit();
  gpu::cp_async_wait<0>();
  gpu::fence_proxy_async_shared();
  __syncthreads();
  smem.full.wait(0);
  float acc[4];
  gpu::wgmma_fence();
  gpu::wgmma<core::bf16>(acc, gpu::matrix_descriptor(smem.a, core::SwizzleMode::k32B, 16, 256),
                         gpu::matrix_descriptor(smem.b, core::SwizzleMode::k32B, 16, 256), false);
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
  for (int half = 0; half < 2; ++half) {
    gpu::store_shared(smem.d + (row + 8 * half) * 8 + column,
                      core::AlignedVector<float, 2>{{acc[2 * half], acc[2 * half + 1]}});
  }
  gpu::fence_proxy_async_shared();
  gpu::barrier_sync(1, 128);
  if (thread == 0) {
    gpu::semaphore_wait(turn, block);
    gpu::tma_store(map_d, {0, 64 * block}, smem.d);
    gpu::tma_store_commit();
    gpu::tma_store_wait<0>();
    gpu::semaphore_release(turn, block + 1);
  }
  gpu::cluster_sync();
}

}  // namespace

void check_everything_works() {
  std::vector<core::bf16> a, b;
  for (int i = 0; i < kBlocks * 64 * 16; ++i) a.push_back(core::from_float<core::bf16>(i % 7 - 3));
  for (int i = 0; i < 8 * 16; ++i) b.push_back(core::from_float<core::bf16>(i % 5 - 2));
  const DeviceArray<core::bf16> device_a(a), device_b(b);
  const DeviceArray<float> device_d(kBlocks * 64 * 8);
  const DeviceArray<int> turn(std::vector<int>{0});
  gpu::launch(everything, {.grid = dim3(kBlocks), .block = dim3(128), .cluster = dim3(2)}, nullptr,
              device_a.data(), map_of(device_b.data(), 8, 16, 8, 16, core::SwizzleMode::k32B),
              map_of(device_d.data(), kBlocks * 64, 8, 64, 8), turn.data());
  const std::vector<float> d = device_d.values();
  int wrong = 0;
  for (int row = 0; row < kBlocks * 64; ++row) {
    for (int column = 0; column < 8; ++column) {
      float sum = 0;
      for (int k = 0; k < 16; ++k) {
        sum += core::to_float(a[row * 16 + k]) * core::to_float(b[column * 16 + k]);
      }
      wrong += d[row * 8 + column] != sum ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every asynchronous word together, under every policy and number of workers") {
  const KeepSettings keep;
  for (const int workers : {1, 2, 4}) {
    runtime::set_workers(workers);
    under_every_policy([&] {
      runtime::set_workers(workers);
      check_everything_works();
    });
  }
}

void fails(gpu::LaunchShape shape, std::initializer_list<const char*> words,
           void (*kernel)(const Global)) {
  const std::string folder = std::string(__FILE__, std::string(__FILE__).rfind('/') + 1);
  under_every_policy([&] {
    const DeviceArray<float> values(std::vector<float>(32 * 32, 2.0f));
    const DeviceArray<int> number(std::vector<int>{0});
    const Global global{values.data(), number.data(), map_of(values.data(), 32, 32, 32, 32)};
    const std::string error = device_error_of([&] { gpu::launch(kernel, shape, nullptr, global); });
    CAPTURE(error);
    const std::size_t file = error.find("tests/") + 6, colon = error.find(':', file);
    REQUIRE(colon != std::string::npos);
    const std::string path = folder + error.substr(file, colon - file);
    const auto line = static_cast<unsigned>(std::stoul(error.substr(colon + 1)));
    CHECK(contains(runtime::source_line({path.c_str(), line}, 200), "// fails"));
    for (const char* word : words) {
      CAPTURE(word);
      CHECK(contains(error, word));
    }
  });
  check_everything_works();
}

#pragma once
// What the CPU backend's tests share: launches under every policy, kernels that must fail, and a
// block's shared memory with small tiles for TMA and wgmma.

#include "../gallery/map_of.hpp"

#include <gpu/cluster.hpp>
#include <gpu/convert.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/launch.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <core/error.hpp>
#include <runtime/settings.hpp>
#include <test/catch.hpp>
#include <test/device_array.hpp>

#include <initializer_list>
#include <string>
#include <vector>

using core::bf16;
using gallery::map_of;
using test::DeviceArray;

// The message of the core::DeviceError that the call throws; fails the test when it throws none.
template <class Call>
std::string device_error_of(const Call& call) {
  try {
    call();
  } catch (const core::DeviceError& error) {
    return error.what();
  }
  FAIL("expected a core::DeviceError");
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Puts the settings back when a test ends.
struct KeepSettings {
  runtime::Policy policy = runtime::policy();
  std::size_t stack_bytes = runtime::stack_bytes();
  ~KeepSettings() {
    runtime::set_policy(policy);
    runtime::set_workers(0);
    runtime::set_stack_bytes(stack_bytes);
  }
};

// Calls under late, early, mix and twenty random seeds.
template <class Call>
void under_every_policy(const Call& call) {
  const KeepSettings keep;
  std::vector<std::string> policies = {"late", "early", "mix"};
  for (int seed = 0; seed < 20; ++seed) policies.push_back("random:" + std::to_string(seed));
  for (const std::string& policy : policies) {
    runtime::set_policy(policy);
    CAPTURE(policy);
    call();
  }
}

inline gpu::LaunchShape blocks_of(unsigned blocks, unsigned threads) {
  return {.grid = dim3(blocks), .block = dim3(threads)};
}
inline gpu::LaunchShape one_block(unsigned threads) {
  return blocks_of(1, threads);
}
inline gpu::LaunchShape one_cluster(unsigned blocks, unsigned threads) {
  return {.grid = dim3(blocks), .block = dim3(threads), .cluster = dim3(blocks)};
}

// --- A block's shared memory --------------------------------------------------------------------

constexpr int kStages = 4;
struct Shared {
  alignas(1024) float tile[4][32 * 32];
  alignas(1024) bf16 a[kStages][64 * 16];  // stages of (64, 16), K-major, 32-byte swizzle
  alignas(1024) bf16 b[kStages][8 * 16];   // stages of (8, 16), K-major, 32-byte swizzle
  gpu::Mbarrier full, other;
  int values[64];
};

__device__ inline Shared& shared() {
  return gpu::static_smem<Shared>();
}

// shared().full for so many arrivals, made known to the block.
__device__ inline gpu::Mbarrier& barrier_for(unsigned arrivals) {
  gpu::Mbarrier& barrier = shared().full;
  if (threadIdx.x == 0) {
    barrier.init(arrivals);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  return barrier;
}

constexpr core::AlignedVector<float, 4> kOnes = {{1, 1, 1, 1}};

__device__ inline core::MatrixDescriptor descriptor(const bf16* tile) {
  return gpu::matrix_descriptor(tile, core::SwizzleMode::k32B, 16, 256);
}

// The block fills all stages: A with ones, B of stage s with s + 1. Fenced, and known to all.
__device__ inline void fill() {
  for (int stage = 0; stage < kStages; ++stage) {
    for (unsigned i = threadIdx.x; i < (64 + 8) * 16; i += blockDim.x) {
      const bool in_a = i < 64 * 16;
      bf16* to = in_a ? shared().a[stage] + i : shared().b[stage] + (i - 64 * 16);
      const float value = in_a ? 1.0f : static_cast<float>(stage + 1);
      gpu::store_shared(to, core::AlignedVector<bf16, 1>{{gpu::from_float<bf16>(value)}});
    }
  }
  gpu::fence_proxy_async_shared();
  __syncthreads();
}

__device__ inline void multiply(float (&acc)[4], int stage) {
  gpu::wgmma<bf16>(acc, descriptor(shared().a[stage]), descriptor(shared().b[stage]));
}

__device__ inline void finish() {
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
}

// --- Kernels that must fail ---------------------------------------------------------------------

// Their parameters: 32 x 32 floats, all 2, a map of them in one box, and a number, 0.
struct Global {
  float* values;
  int* number;
  gpu::TensorMap map;
};

// Runs kernels of the gallery that are right and use cp.async, TMA with multicast, wgmma,
// mbarriers, named barriers and clusters; checks their results.
void check_everything_works();

// The kernel fails under every policy. The first place that the error names is a line of a test
// that is marked with "// fails", and the error holds the words. The next launch works.
void fails(gpu::LaunchShape shape, std::initializer_list<const char*> words,
           void (*kernel)(const Global));
inline void fails(std::initializer_list<const char*> words, void (*kernel)(const Global)) {
  fails(one_block(1), words, kernel);
}

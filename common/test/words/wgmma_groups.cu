// wgmma in groups: what may be read after wait_group 1, and accumulators and registers of A that
// the threads change in between (PTX ISA, "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group").

#include "device.hpp"
#include "random.hpp"
#include "wgmma.hpp"

#include <gpu/shared.hpp>
#include <gpu/sync.hpp>
#include <gpu/wgmma.hpp>

#include <core/numeric.hpp>

#include <string>

namespace words {

namespace wgmma_groups {

constexpr int kRows = 64, kCols = 32, kSteps = 3;
constexpr int kRegisters = kCols / 2;

// Step i's A (64 x 16) and B (32 x 16), K-major, without a swizzle.
struct Storage {
  alignas(128) std::uint32_t a[kSteps][kRows * 16 / 2];
  alignas(128) std::uint32_t b[kSteps][kCols * 16 / 2];
};

struct GroupArguments {
  const std::uint32_t *a, *b;  // images, step by step
  const std::uint32_t* a_registers;
  float* out;  // (result, thread, register)
};

__device__ void fill(Storage& smem, const GroupArguments& job) {
  for (int step = 0; step < kSteps; ++step) {
    for (int i = static_cast<int>(threadIdx.x); i < kRows * 8; i += kWarpgroup) {
      smem.a[step][i] = job.a[step * kRows * 8 + i];
    }
    for (int i = static_cast<int>(threadIdx.x); i < kCols * 8; i += kWarpgroup) {
      smem.b[step][i] = job.b[step * kCols * 8 + i];
    }
  }
  gpu::fence_proxy_async_shared();
  __syncthreads();
}

__device__ void put(const GroupArguments& job, int result, const float (&d)[kRegisters]) {
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) {
    job.out[(result * kWarpgroup + static_cast<int>(threadIdx.x)) * kRegisters + i] = d[i];
  }
}

__device__ core::MatrixDescriptor left(const Storage& smem, int step) {
  return gpu::matrix_descriptor(smem.a[step], core::SwizzleMode::kNone, kRows * 16, 128);
}
__device__ core::MatrixDescriptor right(const Storage& smem, int step) {
  return gpu::matrix_descriptor(smem.b[step], core::SwizzleMode::kNone, kCols * 16, 128);
}

// Three groups with accumulators of their own, each read as soon as the wait vouches for it.
__global__ void __launch_bounds__(kWarpgroup) one_by_one(GroupArguments job) {
  auto& smem = gpu::dynamic_smem<Storage>();
  fill(smem, job);
  float first[kRegisters] = {}, second[kRegisters] = {}, third[kRegisters] = {};
  gpu::wgmma_fence();
  gpu::wgmma<core::bf16>(first, left(smem, 0), right(smem, 0), false);
  gpu::wgmma_commit();
  gpu::wgmma<core::bf16>(second, left(smem, 1), right(smem, 1), false);
  gpu::wgmma_commit();
  gpu::wgmma<core::bf16>(third, left(smem, 2), right(smem, 2), false);
  gpu::wgmma_commit();
  gpu::wgmma_wait<2>();
  put(job, 0, first);
  gpu::wgmma_wait<1>();
  put(job, 1, second);
  gpu::wgmma_wait<0>();
  put(job, 2, third);
}

// One accumulator: multiplied into, changed by the threads, added to, and so on.
__global__ void __launch_bounds__(kWarpgroup) in_turn(GroupArguments job) {
  auto& smem = gpu::dynamic_smem<Storage>();
  fill(smem, job);
  float d[kRegisters] = {};
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    gpu::wgmma_fence();
    gpu::wgmma<core::bf16>(d, left(smem, step), right(smem, step), step > 0);
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < kRegisters; ++i) d[i] = 3.0f * d[i] + 1.0f;
    put(job, step, d);
  }
}

// A in one set of registers that is filled again for each step.
__global__ void __launch_bounds__(kWarpgroup) refilled(GroupArguments job) {
  auto& smem = gpu::dynamic_smem<Storage>();
  fill(smem, job);
  float d[kRegisters] = {};
  std::uint32_t a[4];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i] = job.a_registers[(step * kWarpgroup + static_cast<int>(threadIdx.x)) * 4 + i];
    }
    gpu::wgmma_fence();
    gpu::wgmma<core::bf16>(d, a, right(smem, step), step > 0);
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
    put(job, step, d);
  }
}

enum class Way { kOneByOne, kInTurn, kRefilled };

Outcome run_groups(const std::string& name, Way way) {
  Random random(name);
  int a[kSteps][kRows][16], b[kSteps][kCols][16];
  for (auto& step : a) {
    for (auto& row : step) {
      for (int& value : row) value = random.small(8);
    }
  }
  for (auto& step : b) {
    for (auto& row : step) {
      for (int& value : row) value = random.small(8);
    }
  }
  const auto bits = [](int value) {
    return core::from_float<core::bf16>(static_cast<float>(value)).bits;
  };
  const auto layout = [](int rows) {
    return operand_layout(OperandMajor::kK, core::SwizzleMode::kNone, rows, 16, Spread::kPacked);
  };
  std::vector<std::uint32_t> images_a, images_b, registers;
  for (int step = 0; step < kSteps; ++step) {
    const auto image_a =
        image(layout(kRows), [&](int row, int col) { return bits(a[step][row][col]); });
    const auto image_b =
        image(layout(kCols), [&](int row, int col) { return bits(b[step][row][col]); });
    images_a.insert(images_a.end(), image_a.begin(), image_a.end());
    images_b.insert(images_b.end(), image_b.begin(), image_b.end());
    for (int thread = 0; thread < kWarpgroup; ++thread) {
      for (int i = 0; i < 4; ++i) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i % 2);
        const int col = 2 * (thread % 4) + 8 * (i / 2);
        registers.push_back(bits(a[step][row][col]) |
                            static_cast<std::uint32_t>(bits(a[step][row][col + 1])) << 16);
      }
    }
  }
  int d[kRows][kCols] = {};
  Outcome outcome;
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<std::uint32_t> expected = accumulators(kCols, false, [&](int row, int col) {
      int sum = way == Way::kOneByOne ? 0 : d[row][col];
      for (int k = 0; k < 16; ++k) sum += a[step][row][k] * b[step][col][k];
      return d[row][col] = way == Way::kInTurn ? 3 * sum + 1 : sum;
    });
    outcome.expected.insert(outcome.expected.end(), expected.begin(), expected.end());
  }
  const DeviceArray<std::uint32_t> d_a(images_a), d_b(images_b), d_registers(registers);
  const DeviceArray<float> out(kSteps * kWarpgroup * kRegisters);
  void (*const kernel)(GroupArguments) = way == Way::kOneByOne ? one_by_one
                                         : way == Way::kInTurn ? in_turn
                                                               : refilled;
  run(kernel, {.grid = dim3(1), .block = dim3(kWarpgroup), .dynamic_smem = sizeof(Storage)},
      GroupArguments{d_a.data(), d_b.data(), d_registers.data(), out.data()});
  outcome.got = as_words(out.values());
  return outcome;
}

}  // namespace wgmma_groups

Cases wgmma_group_cases() {
  using namespace wgmma_groups;
  const std::pair<const char*, Way> ways[] = {{"wait_group/one_by_one", Way::kOneByOne},
                                              {"fence/accumulators", Way::kInTurn},
                                              {"fence/a_registers", Way::kRefilled}};
  Cases cases;
  for (const auto& [word, way] : ways) {
    const std::string name = std::string("wgmma.groups/") + word;
    cases.push_back({name, [name, way = way] { return run_groups(name, way); }});
  }
  return cases;
}

}  // namespace words

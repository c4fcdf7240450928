// wgmma in groups: what may be read after wait_group 1, and accumulators and registers of A that
// the threads change in between (PTX ISA, "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group").

#include "wgmma.hpp"

namespace intrinsics::wgmma_groups {

constexpr int kRows = 64, kCols = 32, kSteps = 3, kRegisters = kCols / 2;

// Step i's A (64 x 16) and B (32 x 16), K-major, without a swizzle.
struct Storage {
  alignas(128) std::uint32_t a[kSteps][kRows * 16 / 2];
  alignas(128) std::uint32_t b[kSteps][kCols * 16 / 2];

  __device__ void fill(const std::uint32_t* image_a, const std::uint32_t* image_b) {
    copy(a[0], image_a, kSteps * kRows * 8);
    copy(b[0], image_b, kSteps * kCols * 8);
    gpu::fence_proxy_async_shared();
    __syncthreads();
  }
  __device__ core::MatrixDescriptor left(int step) const {
    return gpu::matrix_descriptor(a[step], core::SwizzleMode::kNone, kRows * 16, 128);
  }
  __device__ core::MatrixDescriptor right(int step) const {
    return gpu::matrix_descriptor(b[step], core::SwizzleMode::kNone, kCols * 16, 128);
  }
};

// Three groups with accumulators of their own, each read as soon as the wait vouches for it.
__global__ void __launch_bounds__(kWarpgroup)
    one_by_one(const std::uint32_t* image_a, const std::uint32_t* image_b, const std::uint32_t*,
               std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  smem.fill(image_a, image_b);
  float d[kSteps][kRegisters] = {};
  gpu::wgmma_fence();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    gpu::wgmma<core::bf16>(d[step], smem.left(step), smem.right(step), false);
    gpu::wgmma_commit();
  }
  gpu::wgmma_wait<2>();
  put(out, d[0], 0);
  gpu::wgmma_wait<1>();
  put(out, d[1], 1);
  gpu::wgmma_wait<0>();
  put(out, d[2], 2);
}

// One accumulator, multiplied into again and again. The threads change it in between; or A comes
// from one set of registers that is filled again for each step.
template <bool kRefill>
__global__ void __launch_bounds__(kWarpgroup)
    in_turn(const std::uint32_t* image_a, const std::uint32_t* image_b,
            const std::uint32_t* a_registers, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Storage>();
  smem.fill(image_a, image_b);
  float d[kRegisters] = {};
  std::uint32_t a[4];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i] = a_registers[(step * kWarpgroup + static_cast<int>(threadIdx.x)) * 4 + i];
    }
    gpu::wgmma_fence();
    if constexpr (kRefill) {
      gpu::wgmma<core::bf16>(d, a, smem.right(step), step > 0);
    } else {
      gpu::wgmma<core::bf16>(d, smem.left(step), smem.right(step), step > 0);
    }
    gpu::wgmma_commit();
    gpu::wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < kRegisters && !kRefill; ++i) d[i] = 3.0f * d[i] + 1.0f;
    put(out, d, step);
  }
}

// What becomes of D = keep * D + A B^T by the threads: scale * D + add.
struct Way {
  decltype(&one_by_one) kernel;
  int keep, scale, add;
};

Outcome run_groups(Random& random, const Way& way) {
  std::vector<Elements> a, b;
  for (int step = 0; step < kSteps; ++step) a.push_back({random.smalls(kRows * 16, 8), 16});
  for (int step = 0; step < kSteps; ++step) b.push_back({random.smalls(kCols * 16, 8), 16});
  const auto layout = [](int rows) {
    return operand_layout(Major::kK, SwizzleMode::kNone, rows, 16, false);
  };
  Words images_a, images_b, a_registers, expected;
  std::vector<int> d(kRows * kCols);
  for (int step = 0; step < kSteps; ++step) {
    append(images_a, image(layout(kRows), a[step]));
    append(images_b, image(layout(kCols), b[step]));
    add_a_registers(a[step], 0, a_registers);
    const std::vector<int> products = product(a[step], b[step]);
    for (std::size_t i = 0; i < d.size(); ++i) {
      d[i] = way.scale * (way.keep * d[i] + products[i]) + way.add;
    }
    append(expected, accumulators(kCols, Sum::kF32, d));
  }
  return check(way.kernel, grid(1, kWarpgroup, sizeof(Storage)), expected, images_a, images_b,
               a_registers);
}

const Register kCases([](Cases& cases) {
  add(cases, "wgmma.groups/wait_group/one_by_one", run_groups, Way{one_by_one, 0, 1, 0});
  add(cases, "wgmma.groups/fence/accumulators", run_groups, Way{in_turn<false>, 1, 3, 1});
  add(cases, "wgmma.groups/fence/a_registers", run_groups, Way{in_turn<true>, 1, 1, 0});
});

}  // namespace intrinsics::wgmma_groups

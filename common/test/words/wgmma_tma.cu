// TMA and wgmma together: tiles as a swizzled tensor map leaves them, multiplied by two warpgroups.
// D (128 x 64) = A (128 x 64) B (64 x 64)^T.

#include "device.hpp"
#include "random.hpp"
#include "wgmma.hpp"

#include <gpu/mbarrier.hpp>
#include <gpu/shared.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <core/numeric.hpp>

#include <string>

namespace words {

namespace wgmma_tma {

constexpr int kRowsA = 128, kRowsB = 64, kDepth = 64;
constexpr int kRegisters = kRowsB / 2;

struct Tiles {
  alignas(1024) std::uint32_t a[kRowsA * kDepth / 2];
  alignas(1024) std::uint32_t b[kRowsB * kDepth / 2];
  gpu::Mbarrier full;
};

// Boxes as wide as the swizzle's span (8 elements without one), side by side in the tile.
struct Boxes {
  int count, width, words;
};

struct Operand {
  Boxes boxes;
  core::SwizzleMode swizzle;
  int leading, stride;
  int advance[kDepth / 16];
  int second;  // bytes from the first 64 rows to the next
};

template <gpu::Major kMajorA, gpu::Major kMajorB>
__global__ void __launch_bounds__(2 * kWarpgroup)
    multiply(const __grid_constant__ gpu::TensorMap map_a,
             const __grid_constant__ gpu::TensorMap map_b, Operand a, Operand b, float* out) {
  auto& smem = gpu::dynamic_smem<Tiles>();
  if (threadIdx.x == 0) {
    smem.full.init(1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    smem.full.arrive_and_expect(sizeof(smem.a) + sizeof(smem.b));
    for (int i = 0; i < a.boxes.count; ++i) {
      gpu::tma_load(smem.a + i * a.boxes.words, map_a, {i * a.boxes.width, 0}, smem.full);
    }
    for (int i = 0; i < b.boxes.count; ++i) {
      gpu::tma_load(smem.b + i * b.boxes.words, map_b, {i * b.boxes.width, 0}, smem.full);
    }
  }
  smem.full.wait(0);

  const core::MatrixDescriptor left = gpu::matrix_descriptor(smem.a, a.swizzle, a.leading, a.stride)
                                          .plus(gpu::warpgroup_index() * a.second);
  const core::MatrixDescriptor right =
      gpu::matrix_descriptor(smem.b, b.swizzle, b.leading, b.stride);
  float d[kRegisters] = {};
  gpu::wgmma_fence();
#pragma unroll
  for (int step = 0; step < kDepth / 16; ++step) {
    gpu::wgmma<core::bf16, kMajorA, kMajorB>(d, left.plus(a.advance[step]),
                                             right.plus(b.advance[step]), step > 0);
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) out[threadIdx.x * kRegisters + i] = d[i];
}

Operand operand(OperandMajor major, core::SwizzleMode swizzle, int mn) {
  const bool none = swizzle == core::SwizzleMode::kNone, k_major = major == OperandMajor::kK;
  const int span = core::span_bytes(swizzle), width = span / 2;
  const int rows = k_major ? mn : kDepth;  // of a box
  const Boxes boxes{(k_major ? kDepth : mn) / width, width, rows * span / 4};

  // Along the rows of a box, 8 of them are an atom; across, the next box is the next atom.
  const int along = 8 * span, across = rows * span;
  OperandLayout layout{major, swizzle, mn, kDepth, 16, along, across, 0};
  if (k_major && none) layout.leading = across;
  if (!k_major) {
    layout.leading = none ? along : across;
    layout.stride = none ? across : along;
  }
  Operand out{boxes, swizzle, layout.leading, layout.stride, {}, 0};
  for (int step = 0; step < kDepth / 16; ++step) out.advance[step] = layout.advance(step);
  out.second = k_major ? 64 * span : 64 / width * across;
  return out;
}

// Values (mn, k) as a row-major matrix, or its transpose, in device memory.
std::vector<std::uint16_t> stored(OperandMajor major, const std::vector<int>& values, int mn) {
  std::vector<std::uint16_t> out(values.size());
  for (int row = 0; row < mn; ++row) {
    for (int col = 0; col < kDepth; ++col) {
      const std::uint16_t bits =
          core::from_float<core::bf16>(static_cast<float>(values[row * kDepth + col])).bits;
      out[major == OperandMajor::kK ? row * kDepth + col : col * mn + row] = bits;
    }
  }
  return out;
}

gpu::TensorMap map_of(OperandMajor major, core::SwizzleMode swizzle, const std::uint16_t* data,
                      int mn) {
  const bool k_major = major == OperandMajor::kK;
  core::TensorMapShape shape;
  shape.size = {static_cast<std::uint64_t>(k_major ? kDepth : mn),
                static_cast<std::uint64_t>(k_major ? mn : kDepth)};
  shape.stride_bytes = {2, 2 * shape.size[0]};
  shape.box = {static_cast<std::uint32_t>(core::span_bytes(swizzle) / 2),
               static_cast<std::uint32_t>(shape.size[1])};
  shape.swizzle = swizzle;
  return gpu::make_tensor_map(reinterpret_cast<const core::bf16*>(data), shape);
}

using Kernel = void (*)(const gpu::TensorMap, const gpu::TensorMap, Operand, Operand, float*);

Outcome run_multiply(const std::string& name, Kernel kernel, OperandMajor major_a,
                     OperandMajor major_b, core::SwizzleMode swizzle_a,
                     core::SwizzleMode swizzle_b) {
  Random random(name);
  std::vector<int> a(kRowsA * kDepth), b(kRowsB * kDepth);
  for (int& value : a) value = random.small(8);
  for (int& value : b) value = random.small(8);
  const DeviceArray<std::uint16_t> d_a(stored(major_a, a, kRowsA)), d_b(stored(major_b, b, kRowsB));
  const DeviceArray<float> out(2 * kWarpgroup * kRegisters);
  run(kernel, {.grid = dim3(1), .block = dim3(2 * kWarpgroup), .dynamic_smem = sizeof(Tiles)},
      map_of(major_a, swizzle_a, d_a.data(), kRowsA),
      map_of(major_b, swizzle_b, d_b.data(), kRowsB), operand(major_a, swizzle_a, kRowsA),
      operand(major_b, swizzle_b, kRowsB), out.data());

  Outcome outcome{as_words(out.values()), {}};
  for (int half = 0; half < 2; ++half) {
    const std::vector<std::uint32_t> d = accumulators(kRowsB, false, [&](int row, int col) {
      int sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += a[(64 * half + row) * kDepth + k] * b[col * kDepth + k];
      return sum;
    });
    outcome.expected.insert(outcome.expected.end(), d.begin(), d.end());
  }
  return outcome;
}

template <gpu::Major kMajorA, gpu::Major kMajorB>
void add(Cases& cases) {
  using enum core::SwizzleMode;
  const auto major = [](gpu::Major m) {
    return m == gpu::Major::kK ? OperandMajor::kK : OperandMajor::kMn;
  };
  const auto letter = [](gpu::Major m) { return m == gpu::Major::kK ? "k" : "mn"; };
  const auto bytes = [](core::SwizzleMode mode) {
    return mode == kNone ? std::string("none") : std::to_string(core::span_bytes(mode)) + "B";
  };
  for (const core::SwizzleMode swizzle_a : {kNone, k32B, k64B, k128B}) {
    for (const core::SwizzleMode swizzle_b : {kNone, k32B, k64B, k128B}) {
      const std::string name = std::string("wgmma.tma/a_") + letter(kMajorA) + ".b_" +
                               letter(kMajorB) + "/" + bytes(swizzle_a) + "." + bytes(swizzle_b);
      cases.push_back({name, [=] {
                         return run_multiply(name, multiply<kMajorA, kMajorB>, major(kMajorA),
                                             major(kMajorB), swizzle_a, swizzle_b);
                       }});
    }
  }
}

}  // namespace wgmma_tma

Cases wgmma_tma_cases() {
  using namespace wgmma_tma;
  using enum core::Major;
  Cases cases;
  add<kK, kK>(cases);
  add<kK, kMn>(cases);
  add<kMn, kK>(cases);
  add<kMn, kMn>(cases);
  return cases;
}

}  // namespace words

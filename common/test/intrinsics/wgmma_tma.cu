// TMA and wgmma together: tiles as a swizzled tensor map leaves them, multiplied by two warpgroups.
// D (128 x 64) = A (128 x 64) B (64 x 64)^T.

#include "wgmma.hpp"

namespace intrinsics::wgmma_tma {

constexpr int kRowsA = 128, kRowsB = 64, kDepth = 64, kRegisters = kRowsB / 2;

struct Tiles {
  alignas(1024) std::uint32_t a[kRowsA * kDepth / 2];
  alignas(1024) std::uint32_t b[kRowsB * kDepth / 2];
  gpu::Mbarrier full;
};

// Boxes as wide as the swizzle's span (8 elements without one), side by side in the tile.
struct Boxes {
  int count, width, words;

  __device__ void load(std::uint32_t* tile, const gpu::TensorMap& map, gpu::Mbarrier& full) const {
    for (int i = 0; i < count; ++i) gpu::tma_load(tile + i * words, map, {i * width, 0}, full);
  }
};

struct Tile {
  Boxes boxes;
  Operand operand;
  int second;  // bytes from the first 64 rows to the next
};

template <Major kMajorA, Major kMajorB>
__global__ void __launch_bounds__(2 * kWarpgroup)
    multiply(const __grid_constant__ gpu::TensorMap map_a,
             const __grid_constant__ gpu::TensorMap map_b, Tile a, Tile b, std::uint32_t* out) {
  auto& smem = gpu::dynamic_smem<Tiles>();
  init(smem.full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    smem.full.arrive_and_expect(sizeof(smem.a) + sizeof(smem.b));
    a.boxes.load(smem.a, map_a, smem.full);
    b.boxes.load(smem.b, map_b, smem.full);
  }
  smem.full.wait(0);

  const core::MatrixDescriptor left =
      a.operand.descriptor(smem.a).plus(gpu::warpgroup_index() * a.second);
  const core::MatrixDescriptor right = b.operand.descriptor(smem.b);
  float d[kRegisters] = {};
  gpu::wgmma_fence();
#pragma unroll
  for (int step = 0; step < kDepth / 16; ++step) {
    gpu::wgmma<core::bf16, kMajorA, kMajorB>(d, left.plus(a.operand.advance[step]),
                                             right.plus(b.operand.advance[step]), step > 0);
  }
  gpu::wgmma_commit();
  gpu::wgmma_wait<0>();
  put(out, d);
}

// An operand in device memory, as a row-major matrix (mn, k) or its transpose, and its tile.
struct Matrix {
  Tile tile;
  DeviceArray<std::uint16_t> memory;
  gpu::TensorMap map;

  Matrix(Major major, SwizzleMode swizzle, const Elements& elements, int mn)
      : memory(stored(major, elements, mn)) {
    const int span = core::span_bytes(swizzle), width = span / 2;
    const int lines = major == Major::kK ? mn : kDepth, length = major == Major::kK ? kDepth : mn;
    // Along the lines of a box, 8 of them are an atom; across, the next box is the next atom.
    const int along = 8 * span, across = lines * span;
    OperandLayout layout{major, swizzle, mn, kDepth, along, across};
    if (major == Major::kMn) std::swap(layout.to_mn, layout.to_k);
    tile = {{length / width, width, across / 4}, layout.operand(), layout.byte(64, 0)};
    const auto extent = [](int value) { return static_cast<unsigned>(value); };
    map = map_of_rows<core::bf16>(memory.data(), extent(length), extent(lines), extent(width),
                                  extent(lines), swizzle);
  }
  static std::vector<std::uint16_t> stored(Major major, const Elements& elements, int mn) {
    return made<std::uint16_t>(elements.values.size(), [&](unsigned i) {
      return major == Major::kK ? elements.type.encode(elements.values[i])
                                : elements.type.encode(elements.values[i % mn * kDepth + i / mn]);
    });
  }
};

template <Major kMajorA, Major kMajorB>
Outcome run_multiply(Random& random, SwizzleMode swizzle_a, SwizzleMode swizzle_b) {
  const Elements a{random.smalls(kRowsA * kDepth, 8), kDepth};
  const Elements b{random.smalls(kRowsB * kDepth, 8), kDepth};
  Words expected = accumulators(kRowsB, Sum::kF32, product(a, b));
  append(expected, accumulators(kRowsB, Sum::kF32, product(a, b, 64)));
  const Matrix left(kMajorA, swizzle_a, a, kRowsA), right(kMajorB, swizzle_b, b, kRowsB);
  return check(multiply<kMajorA, kMajorB>, grid(1, 2 * kWarpgroup, sizeof(Tiles)), expected,
               left.map, right.map, left.tile, right.tile);
}

template <Major kMajorA, Major kMajorB>
void add_majors(Cases& cases) {
  const auto letter = [](Major major) { return major == Major::kK ? "k" : "mn"; };
  using enum core::SwizzleMode;
  for (const SwizzleMode a : {kNone, k32B, k64B, k128B}) {
    for (const SwizzleMode b : {kNone, k32B, k64B, k128B}) {
      add(cases,
          name("wgmma.tma/a_", letter(kMajorA), ".b_", letter(kMajorB), "/", swizzle_name(a), ".",
               swizzle_name(b)),
          run_multiply<kMajorA, kMajorB>, a, b);
    }
  }
}

const Register kCases([](Cases& cases) {
  using enum core::Major;
  add_majors<kK, kK>(cases);
  add_majors<kK, kMn>(cases);
  add_majors<kMn, kK>(cases);
  add_majors<kMn, kMn>(cases);
});

}  // namespace intrinsics::wgmma_tma

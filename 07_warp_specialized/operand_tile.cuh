#pragma once
// Tiles of A and B, K-major with a 128-byte swizzle, and the tensor maps that bring them.

#include <core/swizzle_mode.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>

namespace warp_specialized {

// How a tile is asked for, and what dimensions its tensor map has, the contiguous one first.
//   k2D     (K, MN): 64 columns, one row of the swizzle, by each instruction
//   k3D     (64, MN, K / 64): all columns at once. Needs K in multiples of 64: where a row ended
//           inside a step of 64, TMA would go on into the next row instead of filling up with zeros
//   k5D     the same with two dimensions of length 1
//   kDealt  (K, 2, 4, 4, MN / 32): 64 columns, and rows dealt out so that results which are
//           neighbours in C come out in one thread (see dealt_row). Needs MN in multiples of 32, as
//           the 3-D map does of 64
enum class Load { k2D, k3D, k5D, kDealt };

// Row r of a dealt tile in shared memory is this row of the operand. wgmma gives lane l, of its
// results in 32 columns, the pairs 8 j + 2 (l % 4); dealt, they are columns 8 (l % 4) + 2 j of C,
// eight in a row. With r = 8 j + 2 q + e, TMA counts e, q and j in that order, and steps 1, 8 and 2
// rows for them.
constexpr int dealt_row(int r) {
  const int e = r % 2, q = r / 2 % 4, j = r / 8 % 4;
  return r / 32 * 32 + 8 * q + 2 * j + e;
}

// MN rows of A or B by BK columns: boxes of (MN, 64), K-major with a 128-byte swizzle, one behind
// the other.
template <int MN, int BK, Load kLoad>
struct OperandTile {
  static constexpr int kWidth = 64, kBoxes = BK / kWidth;
  static constexpr int kBoxSize = MN * kWidth, kSize = MN * BK;
  static constexpr auto kSwizzle = core::SwizzleMode::k128B;
  static_assert(BK % kWidth == 0 && MN % 8 == 0 && MN <= 256);
  static_assert(kLoad != Load::kDealt || MN % 32 == 0);

  // The operand of the wgmma that starts at row `mn` of the tile and column 0: eight rows are 1024
  // bytes.
  template <class T>
  static __device__ core::MatrixDescriptor descriptor(const T* tile, int mn) {
    return gpu::matrix_descriptor(tile + mn * kWidth, kSwizzle, 16, 1024);
  }
  // From there to column `k`.
  static constexpr int step_bytes(int k) { return (k / kWidth * kBoxSize + k % kWidth) * 2; }

  // Sends the tile that starts at (mn, k) of the operand on its way. One thread.
  template <class T>
  static __device__ void load(T* tile, const gpu::TensorMap& map, int mn, int k,
                              gpu::Mbarrier& full) {
    if constexpr (kLoad == Load::k2D) {
#pragma unroll
      for (int box = 0; box < kBoxes; ++box) {
        gpu::tma_load(tile + box * kBoxSize, map, {k + box * kWidth, mn}, full);
      }
    } else if constexpr (kLoad == Load::k3D) {
      gpu::tma_load(tile, map, {0, mn, k / kWidth}, full);
    } else if constexpr (kLoad == Load::k5D) {
      gpu::tma_load(tile, map, {0, mn, k / kWidth, 0, 0}, full);
    } else {
#pragma unroll
      for (int box = 0; box < kBoxes; ++box) {
        gpu::tma_load(tile + box * kBoxSize, map, {k + box * kWidth, 0, 0, 0, mn / 32}, full);
      }
    }
  }

  // The map of an operand of `mn` rows and `k` columns. What a box has outside of it reads as
  // zeros.
  template <class T>
  static gpu::TensorMap map(const T* data, std::int64_t leading_dimension, int mn, int k) {
    const auto rows = static_cast<std::uint64_t>(mn), cols = static_cast<std::uint64_t>(k);
    const auto row_bytes = static_cast<std::uint64_t>(leading_dimension) * sizeof(T);
    core::TensorMapShape shape{.rank = 2,
                               .size = {cols, rows},
                               .stride_bytes = {0, row_bytes},
                               .box = {kWidth, MN},
                               .swizzle = kSwizzle};
    if constexpr (kLoad == Load::k3D || kLoad == Load::k5D) {
      shape.rank = kLoad == Load::k3D ? 3 : 5;
      shape.size = {kWidth, rows, cols / kWidth, 1, 1};
      shape.stride_bytes = {0, row_bytes, kWidth * sizeof(T), row_bytes, row_bytes};
      shape.box = {kWidth, MN, kBoxes, 1, 1};
    } else if constexpr (kLoad == Load::kDealt) {
      shape.rank = 5;
      shape.size = {cols, 2, 4, 4, rows / 32};
      shape.stride_bytes = {0, row_bytes, 8 * row_bytes, 2 * row_bytes, 32 * row_bytes};
      shape.box = {kWidth, 2, 4, 4, MN / 32};
    }
    return gpu::make_tensor_map(data, shape);
  }
};

}  // namespace warp_specialized

#pragma once
// Tiles of 128 columns: two rows of the swizzle side by side, and the tensor maps that bring both
// with one instruction.

#include <core/modes.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>

namespace tokens {

// The dimensions of the tensor map, the contiguous one first.
//   k2D   (K, MN): 64 columns, one row of the swizzle, by each instruction
//   k3D   (64, MN, K / 64): all columns at once. Needs K in multiples of 64: where a row ended
//         inside a step of 64, TMA would go on into the next row instead of filling up with zeros
//   k5D   the same with two dimensions of length 1
enum class Load { k2D, k3D, k5D };

// MN rows of A or B by BK columns: boxes of (MN, 64), K-major with a 128-byte swizzle, one behind
// the other.
template <int MN, Load kLoad>
struct WideTile {
  static constexpr int BK = 128, kWidth = 64, kBoxes = BK / kWidth;
  static constexpr int kBoxSize = MN * kWidth, kSize = MN * BK;
  static constexpr auto kSwizzle = core::SwizzleMode::k128B;
  static_assert(MN % 8 == 0 && MN <= 256);

  // The operand of the wgmma that starts at row `mn` of the tile and column 0: eight rows are 1024
  // bytes.
  template <class T>
  static __device__ core::MatrixDescriptor descriptor(const T* tile, int mn) {
    return gpu::matrix_descriptor(tile + mn * kWidth, kSwizzle, 16, 1024);
  }
  // From there to column `k`.
  static constexpr int step_bytes(int k) { return (k / kWidth * kBoxSize + k % kWidth) * 2; }

  // Asks TMA for the tile that starts at (mn, k) of the operand. One thread.
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
    } else {
      gpu::tma_load(tile, map, {0, mn, k / kWidth, 0, 0}, full);
    }
  }

  // The tensor map of an operand of `mn` rows and `k` columns. What a box has outside of the
  // operand reads as zeros.
  template <class T>
  static gpu::TensorMap map(const T* data, std::int64_t leading_dimension, int mn, int k) {
    const auto rows = static_cast<std::uint64_t>(mn), cols = static_cast<std::uint64_t>(k);
    const auto row_bytes = static_cast<std::uint64_t>(leading_dimension) * sizeof(T);
    core::TensorMapShape shape{.rank = 2,
                               .size = {cols, rows},
                               .stride_bytes = {0, row_bytes},
                               .box = {kWidth, MN},
                               .swizzle = kSwizzle};
    if constexpr (kLoad != Load::k2D) {
      shape.rank = kLoad == Load::k3D ? 3 : 5;
      shape.size = {kWidth, rows, cols / kWidth, 1, 1};
      shape.stride_bytes = {0, row_bytes, kWidth * sizeof(T), row_bytes, row_bytes};
      shape.box = {kWidth, MN, kBoxes, 1, 1};
    }
    return gpu::make_tensor_map(data, shape);
  }
};

}  // namespace tokens

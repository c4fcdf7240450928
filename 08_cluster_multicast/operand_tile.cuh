#pragma once
// A tile of A or B in shared memory, as TMA writes it and wgmma reads it: K-major, 128-byte
// swizzle. Blocks of a cluster bring a slice of it each, to all of them.

#include <core/modes.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>

namespace cluster_multicast {

// The order of the rows of a tile in shared memory.
//   kPlain     as in the operand, by a tensor map (K, MN)
//   kPermuted  row r is row permuted_row(r) of the operand, by a map (K, 2, 4, 4, MN / 32), which
//              needs MN in multiples of 32
enum class Rows { kPlain, kPermuted };

// wgmma leaves lane l, of its accumulators in 32 columns, the pairs of columns 8 j + 2 (l % 4),
// j = 0 to 3. With B's rows permuted these are columns 8 (l % 4) + 2 j of C: eight in a row, one
// store of 128 bits. With r = 8 j + 2 q + e, TMA counts e, q and j in that order, and steps 1, 8
// and 2 rows for them.
constexpr int permuted_row(int r) {
  const int e = r % 2, q = r / 2 % 4, j = r / 8 % 4;
  return r / 32 * 32 + 8 * q + 2 * j + e;
}

// MN rows of A or B by BK columns: one row of the swizzle, 128 bytes, wide. kSlices blocks bring
// MN / kSlices rows each.
template <int MN, Rows kRows, int kSlices>
struct OperandTile {
  static constexpr int BK = 64, kSize = MN * BK;
  static constexpr int kSliceRows = MN / kSlices;
  static constexpr auto kSwizzle = core::SwizzleMode::k128B;
  static_assert(MN % kSlices == 0 && kSliceRows % 8 == 0 && kSliceRows <= 256);
  static_assert(kRows == Rows::kPlain || kSliceRows % 32 == 0);

  // The operand of the wgmma that starts at row `mn` of the tile and column 0. Eight rows are an
  // atom of the swizzle, 1024 bytes; the next atom is SBO = 1024 bytes on. 16 columns fit in one
  // row of the swizzle, so that LBO is not used.
  template <class T>
  static __device__ core::MatrixDescriptor descriptor(const T* tile, int mn) {
    return gpu::matrix_descriptor(tile + mn * BK, kSwizzle, 16, 1024);
  }
  // From there to column `k`.
  static constexpr int step_bytes(int k) { return k * 2; }

  // Asks TMA for slice number `slice` of the tile that starts at (mn, k) of the operand, into the
  // same place in the shared memory of all blocks in `mask`. One thread.
  template <class T>
  static __device__ void load(T* tile, const gpu::TensorMap& map, int mn, int k,
                              gpu::Mbarrier& full, int slice, unsigned mask) {
    const int row = mn + slice * kSliceRows;
    const auto load_at = [&](const auto& at) {
      T* const to = tile + slice * kSliceRows * BK;
      if constexpr (kSlices == 1) {
        gpu::tma_load(to, map, at, full);
      } else {
        gpu::tma_load_multicast(to, map, at, full, mask);
      }
    };
    if constexpr (kRows == Rows::kPlain) {
      const int at[] = {k, row};
      load_at(at);
    } else {
      const int at[] = {k, 0, 0, 0, row / 32};
      load_at(at);
    }
  }

  // The tensor map of an operand of `mn` rows and `k` columns, its box one slice. What a box has
  // outside of the operand reads as zeros.
  template <class T>
  static gpu::TensorMap map(const T* data, std::int64_t leading_dimension, int mn, int k) {
    const auto rows = static_cast<std::uint64_t>(mn), cols = static_cast<std::uint64_t>(k);
    const auto row_bytes = static_cast<std::uint64_t>(leading_dimension) * sizeof(T);
    core::TensorMapShape shape{.rank = 2,
                               .size = {cols, rows},
                               .stride_bytes = {0, row_bytes},
                               .box = {BK, kSliceRows},
                               .swizzle = kSwizzle};
    if constexpr (kRows == Rows::kPermuted) {
      shape.rank = 5;
      shape.size = {cols, 2, 4, 4, rows / 32};
      shape.stride_bytes = {0, row_bytes, 8 * row_bytes, 2 * row_bytes, 32 * row_bytes};
      shape.box = {BK, 2, 4, 4, kSliceRows / 32};
    }
    return gpu::make_tensor_map(data, shape);
  }
};

}  // namespace cluster_multicast

#pragma once
// A tile of an operand of either major and any swizzle, as TMA writes it and wgmma reads it.

#include <core/modes.hpp>
#include <gemm/problem.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <cstdint>

namespace wgmma_lab {

using core::SwizzleMode;
using gemm::Major;

// MN rows of A (or of B, which wgmma calls columns) and BK columns, cut into boxes: each as wide as
// a row of the swizzle, along the direction in which the operand is contiguous, and as long as the
// tile in the other. One box lies behind the other; eight rows of a box are an atom.
//   K-major   box (MN, kWidth), boxes follow each other along k
//   MN-major  box (BK, kWidth), boxes follow each other along mn
// Elements have 16 bits; lengths count elements where they do not say bytes.
template <int MN, int BK, Major kMajor_, SwizzleMode kSwizzle_>
struct OperandTile {
  static constexpr Major kMajor = kMajor_;
  static constexpr SwizzleMode kSwizzle = kSwizzle_;
  static constexpr bool kAlongK = kMajor == Major::kK;
  static constexpr int kWidth = core::span_bytes(kSwizzle) / 2;
  static constexpr int kRows = kAlongK ? MN : BK;
  static constexpr int kBoxes = (kAlongK ? BK : MN) / kWidth;
  static constexpr int kBoxSize = kRows * kWidth;
  static constexpr int kSize = MN * BK;
  static_assert(kBoxes * kBoxSize == kSize && kRows % 8 == 0 && kRows <= 256);

  // Where element (mn, k) lies, before the swizzle.
  static constexpr int offset(int mn, int k) {
    const int along = kAlongK ? k : mn, across = kAlongK ? mn : k;
    return along / kWidth * kBoxSize + across * kWidth + along % kWidth;
  }

  // wgmma starts from one atom and asks how far it is to the next: eight rows on, the next atom of
  // the same box, or one row of the swizzle on, the next box. Which of the two it calls "leading"
  // and which "stride" is a matter of the swizzle and of the major. With a swizzle, 16 columns of a
  // K-major operand fit in one row: no second box is asked for, and the field is not looked at.
  static constexpr int kNextAtomBytes = 8 * kWidth * 2, kNextBoxBytes = kBoxSize * 2;
  static constexpr bool kPlain = kSwizzle == SwizzleMode::kNone;
  static constexpr int kLeadingBytes = kAlongK  ? (kPlain ? kNextBoxBytes : 16)
                                       : kPlain ? kNextAtomBytes
                                                : kNextBoxBytes;
  static constexpr int kStrideBytes = kAlongK || !kPlain ? kNextAtomBytes : kNextBoxBytes;

  // The operand of the wgmma that starts at row `mn` of the tile and column 0.
  template <class T>
  static __device__ core::MatrixDescriptor descriptor(const T* tile, int mn) {
    return gpu::matrix_descriptor(tile + offset(mn, 0), kSwizzle, kLeadingBytes, kStrideBytes);
  }
  // From there to column `k`.
  static constexpr int step_bytes(int k) { return offset(0, k) * 2; }

  // Sends the tile that starts at (mn, k) of the operand on its way. One thread.
  template <class T>
  static __device__ void load(T* tile, const gpu::TensorMap& map, int mn, int k,
                              gpu::Mbarrier& full) {
#pragma unroll
    for (int box = 0; box < kBoxes; ++box) {
      const int along = (kAlongK ? k : mn) + box * kWidth, across = kAlongK ? mn : k;
      gpu::tma_load(tile + box * kBoxSize, map, {along, across}, full);
    }
  }

  // The map by which TMA knows an operand of `mn` rows and `k` columns: its contiguous direction
  // comes first. What a box has outside of the operand reads as zeros.
  template <class T>
  static gpu::TensorMap map(const T* data, std::int64_t leading_dimension, int mn, int k) {
    const auto along = static_cast<std::uint64_t>(kAlongK ? k : mn);
    const auto across = static_cast<std::uint64_t>(kAlongK ? mn : k);
    return gpu::make_tensor_map(
        data, {.rank = 2,
               .size = {along, across},
               .stride_bytes = {0, static_cast<std::uint64_t>(leading_dimension) * sizeof(T)},
               .box = {kWidth, kRows},
               .swizzle = kSwizzle});
  }
};

}  // namespace wgmma_lab

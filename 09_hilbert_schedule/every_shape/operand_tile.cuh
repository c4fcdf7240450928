#pragma once
// Tiles of A and B, with a 128-byte swizzle, and the tensor maps that load them, or the slice of
// them that one block multicasts to its peer CTAs.

#include <core/modes.hpp>
#include <gpu/mbarrier.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>
#include <gpu/wgmma.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace every_shape {

// How the rows of a tile lie in shared memory.
//   kPlain     as in the operand, by a map (K, MN)
//   kPermuted  so that accumulators which are neighbours in C belong to one thread (permuted_row),
//              by a map (K, 2, MN / run, run / 2). Needs an operand with MN in multiples of 8
enum class Rows { kPlain, kPermuted };

// Neighbours in a row of C that a thread has by permuted rows, of a tile of `mn` rows: rows are
// permuted in groups of four runs.
constexpr int permuted_run(int mn) {
  return mn % 32 == 0 ? 8 : 4;
}

// Row r of a permuted tile in shared memory is this row of the operand. wgmma gives lane l, of its
// accumulators in 4 `run` columns, the pairs 8 j + 2 (l % 4); permuted, they are columns
// run (l % 4) + 2 j of C, `run` in a row. With r = 8 j + 2 q + e, TMA counts e, q and j in that
// order, and steps 1, `run` and 2 rows for them.
constexpr int permuted_row(int r, int run) {
  const int group = 4 * run;
  const int e = r % 2, q = r / 2 % 4, j = r % group / 8;
  return r / group * group + run * q + 2 * j + e;
}

// Rows of a box of `mn` rows that `slices` blocks load together, one box after the other in turn:
// a box for each block if they can be equal. A box may begin at any row of the swizzle's pattern,
// because TMA goes by the address.
constexpr int rows_of_box(int mn, int slices) {
  int boxes = slices;
  while (mn % boxes != 0 || mn / boxes > 256) ++boxes;
  return mn / boxes;
}

// Rows that a tile of `mn` has in shared memory: along MN in groups of 64, a 128-byte row of the
// swizzle.
constexpr int held_rows(int mn, core::Major major) {
  return major == core::Major::kK ? mn : (mn + 63) / 64 * 64;
}
// A map, and one whose boxes are half as wide, for a last group of which a tile needs half.
struct MapWithTail : gpu::TensorMap {
  gpu::TensorMap tail;
};

// Columns of a box of a group, where `slices` blocks share out `groups` of 64 columns: as many as
// give each block the same.
constexpr int columns_of_box(int groups, int slices) {
  int cols = 64;
  while (cols > 8 && groups * (64 / cols) % slices != 0) cols /= 2;
  return cols;
}

// MN rows of A or B by 64 columns, in boxes that are one row of the swizzle wide, in the direction
// in which the operand is contiguous:
//   along K            boxes of rows_of_box() rows, 64 columns
//   along K, permuted  boxes of one group of rows, 64 columns
//   along MN           boxes of 64 rows, columns_of_box(); of the last group 32 rows, if the tile
//                      needs no more
// Either way 64 rows are 8192 bytes. kSlices blocks load the tile together, one box after the other
// in turn, for all of them.
template <int MN, Rows kRows, int kSlices, core::Major kMajor_ = core::Major::kK>
struct OperandTile {
  static constexpr auto kMajor = kMajor_;
  static constexpr bool kAlongK = kMajor == core::Major::kK;
  static constexpr int BK = 64, kHeld = held_rows(MN, kMajor);
  static constexpr bool kTail = !kAlongK && kHeld - MN >= 32;
  using Map = std::conditional_t<kTail, MapWithTail, gpu::TensorMap>;
  static constexpr int kSize = kHeld * BK;
  static constexpr bool kPermuted = kRows == Rows::kPermuted;
  static constexpr int kRun = permuted_run(MN);
  static constexpr int kBoxRows = kPermuted ? 4 * kRun : kAlongK ? rows_of_box(MN, kSlices) : 64;
  static constexpr int kBoxCols = kAlongK ? BK : columns_of_box(kHeld / 64, kSlices);
  static constexpr int kBoxes = kHeld / kBoxRows * (BK / kBoxCols);
  static constexpr auto kSwizzle = core::SwizzleMode::k128B;
  static_assert(kHeld % kBoxRows == 0);
  static_assert(kAlongK || !kPermuted);

  // Of an operand that has `mn` rows, fewer than a tile: the rows of a box, and the boxes that are
  // loaded. What lies in the rest of shared memory makes accumulators that C has no room for, and
  // nobody stores.
  static constexpr int box_rows(int mn) {
    return kAlongK && !kPermuted ? std::min(kBoxRows, (mn + 7) / 8 * 8) : kBoxRows;
  }
  static constexpr int boxes(int mn) {
    return kPermuted ? std::min(kBoxes, (mn + kBoxRows - 1) / kBoxRows) : kBoxes;
  }
  // Elements of a tile that arrive.
  static constexpr int loaded(int mn) {
    return boxes(mn) * box_rows(mn) * kBoxCols - (kTail ? 32 * BK : 0);
  }

  // The operand of the wgmma that starts at row `mn` of the tile and column 0: eight rows along K
  // are 1024 bytes, and so are eight columns of a group; along MN the next group follows.
  template <class T>
  static __device__ core::MatrixDescriptor descriptor(const T* tile, int mn) {
    return gpu::matrix_descriptor(tile + mn * BK, kSwizzle, kAlongK ? 16 : 64 * 128, 1024);
  }
  // From there to column `k`.
  static constexpr int step_bytes(int k) { return kAlongK ? k * 2 : k * 64 * 2; }

  // Loads, of the first `boxes` boxes of the tile that starts at (mn, k) of the operand, those of
  // block number `slice`, to the same place in the shared memory of all blocks in `mask`. One
  // thread.
  template <class T>
  static __device__ void load(T* tile, const Map& map, int mn, int k, int boxes,
                              gpu::Mbarrier& full, int slice, unsigned mask) {
    for_each_box(mn, k, boxes, slice, [&](int first, const auto& at) {
      if constexpr (kSlices == 1) {
        gpu::tma_load(tile + first * BK, map_of(map, first), at, full);
      } else {
        gpu::tma_load_multicast(tile + first * BK, map_of(map, first), at, full, mask);
      }
    });
  }
  // Loads all slices to this block alone. One thread.
  template <class T>
  static __device__ void load_alone(T* tile, const Map& map, int mn, int k, int boxes,
                                    gpu::Mbarrier& full) {
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      for_each_box(mn, k, boxes, slice, [&](int first, const auto& at) {
        gpu::tma_load(tile + first * BK, map_of(map, first), at, full);
      });
    }
  }
  // Has the L2 load the slice. Nothing waits for it.
  static __device__ void prefetch(const Map& map, int mn, int k, int boxes, int slice) {
    for_each_box(mn, k, boxes, slice,
                 [&](int first, const auto& at) { gpu::tma_prefetch(map_of(map, first), at); });
  }

  // The map of an operand of `mn` rows and `k` columns, its boxes as above, for an operand of
  // `boxed_rows`. What a box has outside of the operand reads as zeros. Promoted, the L2 fetches
  // 256 bytes of a row where a box asks for 128: with them those of the next k-tile.
  template <class T>
  static Map map(const T* data, std::int64_t leading_dimension, int mn, int k, int boxed_rows,
                 bool promoted) {
    const auto rows = static_cast<std::uint64_t>(mn), cols = static_cast<std::uint64_t>(k);
    const auto pitch = static_cast<std::uint64_t>(leading_dimension) * sizeof(T);
    const auto box = static_cast<std::uint32_t>(box_rows(boxed_rows));
    core::TensorMapShape shape{.rank = 2,
                               .size = {cols, rows},
                               .stride_bytes = {0, pitch},
                               .box = {BK, box},
                               .swizzle = kSwizzle};
    if (promoted && pitch % 256 == 0) shape.promotion = core::L2Promotion::k256B;
    if constexpr (!kAlongK) {
      shape.size = {rows, cols};
      shape.box = {kBoxRows, kBoxCols};
    }
    if constexpr (kPermuted) {  // cut at the end of the rows by the dimension of the runs
      shape.rank = 4;
      shape.size = {cols, 2, rows / kRun, kRun / 2};
      shape.stride_bytes = {0, pitch, kRun * pitch, 2 * pitch};
      shape.box = {BK, 2, 4, kRun / 2};
    }
    Map made = {};
    static_cast<gpu::TensorMap&>(made) = gpu::make_tensor_map(data, shape);
    if constexpr (kTail) {
      shape.box[0] = 32;
      made.tail = gpu::make_tensor_map(data, shape);
    }
    return made;
  }

 private:
  // The map of the box that begins in this row of the tile.
  static __device__ const gpu::TensorMap& map_of(const Map& map, int first) {
    if constexpr (kTail) {
      if (first >= kHeld - 64) return map.tail;
    }
    return map;
  }
  // Calls use(first, at) for each box: its first row in the tile, and where it begins in the
  // operand, as its map counts.
  template <class Use>
  static __device__ void for_each_box(int mn, int k, int boxes, int slice, const Use& use) {
#pragma unroll
    for (int turn = 0; turn < (kBoxes + kSlices - 1) / kSlices; ++turn) {
      const int box = turn * kSlices + slice;
      if ((kPermuted || kBoxes % kSlices != 0) && box >= boxes) break;
      const int first = box * kBoxRows * kBoxCols / BK;
      if constexpr (!kAlongK) {
        const int at[] = {mn + first / 64 * 64, k + first % 64};
        use(first, at);
      } else if constexpr (!kPermuted) {
        const int at[] = {k, mn + first};
        use(first, at);
      } else {
        const int at[] = {k, 0, (mn + first) / kRun, 0};
        use(first, at);
      }
    }
  }
};

}  // namespace every_shape

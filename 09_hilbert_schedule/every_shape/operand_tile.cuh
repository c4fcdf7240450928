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
// The last box of an operand: where it begins, which no box is loaded beyond, and its rows.
struct LastBox {
  int row, rows;
};
// A map, and one whose boxes have fewer rows: along K for the box in which the operand ends, along
// MN for a last group of which a tile needs half.
struct MapPair : gpu::TensorMap {
  gpu::TensorMap shorter;
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
// in turn, for all of them. What a box has outside of the operand TMA fills with zeros, but asks
// the L2 for it, and few of its slices get most of these requests (notebook.md#outside). So the box
// in which an operand along K ends has fewer rows, and boxes beyond the end are left out, but not
// in a cluster, which loads the last one in their place: what a block waits for keeps it in step
// with its peer CTAs (notebook.md#corners). Accumulators outside of C are not stored.
// kMayBeOutside: a tile may have no row of the operand, as in a cluster at its end.
template <int MN, Rows kRows, int kSlices, core::Major kMajor_ = core::Major::kK,
          bool kMayBeOutside = (kSlices > 1)>
struct OperandTile {
  static constexpr auto kMajor = kMajor_;
  static constexpr bool kAlongK = kMajor == core::Major::kK;
  static constexpr int BK = 64, kHeld = held_rows(MN, kMajor);
  static constexpr bool kPermuted = kRows == Rows::kPermuted;
  static constexpr bool kTail = !kAlongK && kHeld - MN >= 32;
  static constexpr bool kCut = kAlongK && !kPermuted;  // its last box has fewer rows
  using Map = std::conditional_t<kTail || kCut, MapPair, gpu::TensorMap>;
  static constexpr int kSize = kHeld * BK;
  static constexpr int kRun = permuted_run(MN);
  static constexpr int kBoxRows = kPermuted ? 4 * kRun : kAlongK ? rows_of_box(MN, kSlices) : 64;
  static constexpr int kBoxCols = kAlongK ? BK : columns_of_box(kHeld / 64, kSlices);
  static constexpr int kBoxes = kHeld / kBoxRows * (BK / kBoxCols);
  static constexpr auto kSwizzle = core::SwizzleMode::k128B;
  static_assert(kHeld % kBoxRows == 0);
  static_assert(kAlongK || !kPermuted);

  // Of an operand that has `rows`.
  static constexpr LastBox last_box(int rows) {
    if (!kAlongK) return {rows - 1, kBoxRows};
    const int cut = (rows - 1) % kBoxRows + 1;
    return {rows - cut, kPermuted ? kBoxRows : cut};
  }
  // Elements that are loaded of the tile that starts at row `mn`.
  static constexpr int loaded(int mn, LastBox last) {
    if (kCut && kBoxes == 1) return (mn < last.row ? MN : last.rows) * BK;
    if (kCut) {
      const int whole = std::clamp(last.row - mn, 0, MN);  // rows of whole boxes
      return (whole + (MN - whole) / kBoxRows * last.rows) * BK;
    }
    constexpr int kMost = kHeld, kLeast = kBoxes == 1 || kMayBeOutside ? kMost : 0;
    const int left = last.row - mn + kBoxRows;
    const int rows = std::clamp(kPermuted ? left : left / 64 * 64, kLeast, kMost);
    return (kTail && rows == kMost ? kMost - 32 : rows) * BK;
  }

  // The operand of the wgmma that starts at row `mn` of the tile and column 0: eight rows along K
  // are 1024 bytes, and so are eight columns of a group; along MN the next group follows.
  template <class T>
  static __device__ core::MatrixDescriptor descriptor(const T* tile, int mn) {
    return gpu::matrix_descriptor(tile + mn * BK, kSwizzle, kAlongK ? 16 : 64 * 128, 1024);
  }
  // From there to column `k`.
  static constexpr int step_bytes(int k) { return kAlongK ? k * 2 : k * 64 * 2; }

  // Loads, of the tile that starts at (mn, k) of the operand, the boxes of block number `slice`, to
  // the same place in the shared memory of all blocks in `mask`. One thread.
  template <class T>
  static __device__ void load(T* tile, const Map& map, LastBox last, int mn, int k,
                              gpu::Mbarrier& full, int slice, unsigned mask) {
    for_each_box(map, last, mn, k, slice, [&](int first, const auto& of, const auto& at) {
      if constexpr (kSlices == 1) {
        gpu::tma_load(tile + first * BK, of, at, full);
      } else {
        gpu::tma_load_multicast(tile + first * BK, of, at, full, mask);
      }
    });
  }
  // Loads all slices to this block alone. One thread.
  template <class T>
  static __device__ void load_alone(T* tile, const Map& map, LastBox last, int mn, int k,
                                    gpu::Mbarrier& full) {
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      for_each_box(map, last, mn, k, slice, [&](int first, const auto& of, const auto& at) {
        gpu::tma_load(tile + first * BK, of, at, full);
      });
    }
  }
  // Has the L2 load the slice. Nothing waits for it.
  static __device__ void prefetch(const Map& map, LastBox last, int mn, int k, int slice) {
    for_each_box(map, last, mn, k, slice,
                 [](int, const auto& of, const auto& at) { gpu::tma_prefetch(of, at); });
  }

  // The map of an operand of `mn` rows and `k` columns, its boxes as above. Promoted, the L2
  // fetches 256 bytes of a row where a box asks for 128: with them those of the next k-tile.
  template <class T>
  static Map map(const T* data, std::int64_t leading_dimension, int mn, int k, bool promoted) {
    const auto rows = static_cast<std::uint64_t>(mn), cols = static_cast<std::uint64_t>(k);
    const auto pitch = static_cast<std::uint64_t>(leading_dimension) * sizeof(T);
    core::TensorMapShape shape{.rank = 2,
                               .size = {cols, rows},
                               .stride_bytes = {0, pitch},
                               .box = {BK, kBoxRows},
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
    if constexpr (kTail || kCut) {
      shape.box[kTail ? 0 : 1] = static_cast<std::uint32_t>(kTail ? 32 : last_box(mn).rows);
      made.shorter = gpu::make_tensor_map(data, shape);
    }
    return made;
  }
  // The same for an operand elsewhere.
  static void replace_address(Map& map, const void* data) {
    gpu::replace_address(map, data);
    if constexpr (kTail || kCut) gpu::replace_address(map.shorter, data);
  }

 private:
  // Calls use(first, of, at) for each box: its first row in the tile, its map, and where it begins
  // in the operand, as the map counts.
  template <class Use>
  static __device__ void for_each_box(const Map& map, LastBox last, int mn, int k, int slice,
                                      const Use& use) {
#pragma unroll
    for (int turn = 0; turn < (kBoxes + kSlices - 1) / kSlices; ++turn) {
      const int box = turn * kSlices + slice;
      if (kBoxes % kSlices != 0 && box >= kBoxes) break;
      const int first = box * kBoxRows * kBoxCols / BK;
      if constexpr (kCut) {
        const bool one = kBoxes == 1 && !kMayBeOutside;
        const int row = one ? mn : std::min(mn + first, last.row);
        const int at[] = {k, row};
        use(first, row < last.row ? static_cast<const gpu::TensorMap&>(map) : map.shorter, at);
      } else if constexpr (kPermuted) {
        if (!kMayBeOutside && turn > 0 && mn + first > last.row) break;
        const int row = kMayBeOutside ? std::min(mn + first, last.row) : mn + first;
        const int at[] = {k, 0, row / kRun, 0};
        use(first, map, at);
      } else {
        const int begin = mn + first / 64 * 64;
        if (!kMayBeOutside && first >= 64 && begin > last.row) break;
        const bool outside = kMayBeOutside && begin > last.row;
        const int row = outside ? std::max(last.row - 63, 0) : begin;
        const int at[] = {row, k + first % 64};
        if constexpr (kTail) {
          use(first, first < kHeld - 64 ? static_cast<const gpu::TensorMap&>(map) : map.shorter,
              at);
        } else {
          use(first, map, at);
        }
      }
    }
  }
};

}  // namespace every_shape

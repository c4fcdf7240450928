#pragma once
// Tile shapes, and what follows from them.

#include <gemm/thread_map.hpp>
#include <gpu/thread.hpp>
#include <layout/swizzle.hpp>

namespace swizzle_pipeline {

inline constexpr const char* kName = "05_swizzle_pipeline";

// For many outputs: 8 warps of 64 x 64, one block on an SM.
struct LargeTiles {
  static constexpr int BM = 128, BN = 256, BK = 64;
  static constexpr int WM = 64, WN = 64;
};

// For fewer: 4 warps of 64 x 64, two blocks on an SM. Twice as deep, the addresses of a thread's
// copies would not fit in its registers.
struct MediumTiles : LargeTiles {
  static constexpr int BN = 128, BK = 32;
};

// For few outputs: 4 warps of 32 x 32, several blocks on an SM.
struct SmallTiles {
  static constexpr int BM = 64, BN = 64, BK = 64;
  static constexpr int WM = 32, WN = 32;
};

// For loads of single elements: fewer of them.
struct NarrowTiles : SmallTiles {
  static constexpr int BK = 32;
};

enum class SmemLayout { kSwizzled, kPadded, kPlain };

// kStages: k-tiles of A and B in shared memory. kVector: elements per copy (8: 128 bits).
// kGroupRows: rows of tiles of C that are walked together. kStoreWidth: elements per store, 8
// through shared memory or 2 from where the accumulators lie.
template <class Tiles, int kStages_, int kVector_, SmemLayout kLayout_ = SmemLayout::kSwizzled,
          int kGroupRows_ = 8, int kStoreWidth_ = 8>
struct Config : Tiles {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WM, Tiles::WN;
  static constexpr int kStages = kStages_, kVector = kVector_;
  static constexpr SmemLayout kLayout = kLayout_;
  static constexpr int kGroupRows = kGroupRows_, kStoreWidth = kStoreWidth_;

  // A warp's tile is made of kAtomsM x kAtomsN atoms, a step along K of 16 columns.
  static constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16;
  static constexpr int kAtomsM = WM / MMA_M, kAtomsN = WN / MMA_N, kSteps = BK / MMA_K;
  static_assert(BM % WM == 0 && BN % WN == 0 && kAtomsN % 2 == 0 && kSteps % 2 == 0);

  static constexpr int kWarpsM = BM / WM, kWarpsN = BN / WN;
  static constexpr int kThreads = kWarpsM * kWarpsN * gpu::kWarpSize;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;

  // Eight rows of a tile, 16 bytes of each, are what ldmatrix reads at once. Rows lie BK elements
  // apart: with 128 bytes all eight would be on the same four banks. The swizzle xors the row's
  // number into the number of the 16-byte piece (M = 3: 8 elements stay together).
  static constexpr int kPitch = kLayout == SmemLayout::kPadded ? BK + 8 : BK;
  static constexpr layout::Swizzle swizzle() {
    if (kLayout != SmemLayout::kSwizzled) return {};
    return layout::swizzle_for_columns(BK, 16, 8);
  }
  static constexpr int smem_offset(int row, int col) { return swizzle()(row * kPitch + col); }
  // `step` steps further in the same row, from an offset in step 0. The swizzle is an exclusive-or,
  // and the step's number stands in bits that are 0 in step 0: one more of it leads there.
  static constexpr int smem_step(int offset, int step) {
    return kLayout == SmemLayout::kSwizzled ? offset ^ step * MMA_K : offset + step * MMA_K;
  }

  // Rows of C's accumulators in shared memory are 8 floats longer than they need be: then neither
  // the pairs that are written nor the quads that are read meet on a bank.
  static constexpr int kPitchC = WN + 8;
};

}  // namespace swizzle_pipeline

#pragma once
// Tile shapes, and what follows from them.

#include <gemm/thread_map.hpp>
#include <gpu/thread.hpp>

namespace mma_ldmatrix {

inline constexpr const char* kName = "04_mma_ldmatrix";

// For many outputs: 8 warps of 64 x 64, one block on an SM.
struct LargeTiles {
  static constexpr int BM = 128, BN = 256, BK = 32;
  static constexpr int WM = 64, WN = 64;
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

// How fragments come from shared memory: rows of 8 x 8 matrices that the warp shares out, or each
// lane for itself, 32 bits at a time.
enum class FragmentLoad { kLdmatrix, kLds };

// kVector: elements per global load (8: 128 bits).
template <class Tiles, int kVector_, FragmentLoad kLoad_ = FragmentLoad::kLdmatrix>
struct Config : Tiles {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WM, Tiles::WN;
  static constexpr int kVector = kVector_;
  static constexpr FragmentLoad kLoad = kLoad_;
  static constexpr bool kLds = kLoad == FragmentLoad::kLds;

  // A warp's tile is made of kAtomsM x kAtomsN atoms, a step along K of 16 columns.
  static constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16;
  static constexpr int kAtomsM = WM / MMA_M, kAtomsN = WN / MMA_N, kSteps = BK / MMA_K;
  static_assert(BM % WM == 0 && BN % WN == 0 && kAtomsN % 2 == 0 && kSteps % 2 == 0);

  static constexpr int kWarpsM = BM / WM, kWarpsN = BN / WN;
  static constexpr int kThreads = kWarpsM * kWarpsN * gpu::kWarpSize;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;

  // Eight rows of a tile, 16 bytes of each, are what ldmatrix reads at once. The 8 elements that
  // stay free after each row make it an odd number of 16-byte pieces: eight pieces below one
  // another then lie in different banks.
  static constexpr int kPitch = BK + 8;
  static constexpr int smem_offset(int row, int col) { return row * kPitch + col; }

  // The place of a thread in the thread map. Eight threads (16 bytes each) store two rows of 32
  // elements at once, and neighbouring rows would share banks. Rows four apart do not: bit 0 of the
  // row's number becomes bit 2.
  static constexpr int place(int thread) {
    constexpr int kVectors = MapA::kVectorsPerRow;
    if (MapA::kRowsAtOnce % 8 != 0) return thread;
    const int row = thread / kVectors;
    return (row / 8 * 8 + row % 2 * 4 + row % 8 / 2) * kVectors + thread % kVectors;
  }
};

}  // namespace mma_ldmatrix

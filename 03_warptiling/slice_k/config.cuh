#pragma once
// Tile shapes whose warps divide K, and what follows from them.

#include "../config.cuh"

namespace slice_k {

inline constexpr const char* kName = "slice_k";

// The four warps of a block share its tile: each multiplies 8 k-rows of every k-tile.
struct SharedTile {
  static constexpr int BM = 32, BN = 64, BK = 32;
  static constexpr int WM = 32, WN = 64, WK = 8;
  static constexpr int WNITER = 2, TM = 4, TN = 4;
};

// The same tile cut into four: each warp has its own outputs and multiplies all k-rows of a slice.
struct DividedTile {
  static constexpr int BM = 32, BN = 64, BK = 16;
  static constexpr int WM = 16, WN = 32, WK = 16;
  static constexpr int WNITER = 1, TM = 4, TN = 4;
};

// The lesson's configuration with a third number of warps: kWarpsK of them have the same outputs.
template <class Tiles, int kVector>
struct Config : warptiling::Config<Tiles, kVector> {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WK;
  static_assert(BK % WK == 0 && WK % kVector == 0 && WK % 2 == 0);

  static constexpr int kWarpsK = BK / WK;
  static constexpr int kThreadsOfTile = warptiling::Config<Tiles, kVector>::kThreads;
  static constexpr int kThreads = kThreadsOfTile * kWarpsK;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;
};

}  // namespace slice_k

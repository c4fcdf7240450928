#pragma once
// Tile shapes, and what follows from them.

#include <gemm/thread_map.hpp>
#include <gpu/thread.hpp>

#include <algorithm>

namespace warptiling {

inline constexpr const char* kName = "03_warptiling";

// For many outputs: 8 warps of 64 x 64, one block on an SM.
struct LargeTiles {
  static constexpr int BM = 128, BN = 256, BK = 8;
  static constexpr int WM = 64, WN = 64;
  static constexpr int WNITER = 4, TM = 4, TN = 4;
};

// For few outputs: 4 warps of 32 x 32, several blocks on an SM.
struct SmallTiles {
  static constexpr int BM = 64, BN = 64, BK = 16;
  static constexpr int WM = 32, WN = 32;
  static constexpr int WNITER = 1, TM = 4, TN = 4;
};

// kVector: elements per global load (8: 128 bits).
template <class Tiles, int kVector_>
struct Config : Tiles {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WM, Tiles::WN;
  using Tiles::WNITER, Tiles::TM, Tiles::TN;
  static constexpr int kVector = kVector_;

  // A warp's tile is swept in WMITER x WNITER steps; at each its lanes cover WSUBM x WSUBN outputs.
  static constexpr int WMITER = WM * WN / (gpu::kWarpSize * TM * TN * WNITER);
  static constexpr int WSUBM = WM / WMITER, WSUBN = WN / WNITER;
  static_assert(WMITER >= 1 && (WSUBM / TM) * (WSUBN / TN) == gpu::kWarpSize);
  static_assert(BM % WM == 0 && BN % WN == 0 && BK % kVector == 0);

  static constexpr int kWarpsM = BM / WM, kWarpsN = BN / WN;
  static constexpr int kThreads = kWarpsM * kWarpsN * gpu::kWarpSize;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;

  // Floats left free after every kVector k-rows of a tile in shared memory. The lanes of a store
  // hold kChunks different vectors of a row; the skew sends each of them to its own banks. (A
  // multiple of 4, so that 128-bit loads stay aligned.)
  static constexpr int kChunks = BK / kVector;
  static constexpr int kSkew = kChunks == 1 ? 0 : std::max(4, 32 / kChunks);

  // Where k-row `k` of a tile with `length` columns starts, and the whole tile's size, in floats.
  static constexpr int smem_row(int k, int length) { return k * length + k / kVector * kSkew; }
  static constexpr int smem_size(int length) { return smem_row(BK, length); }
};

}  // namespace warptiling

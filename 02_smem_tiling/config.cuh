#pragma once
// Tile shapes, and what follows from them.

#include <gemm/thread_map.hpp>

#include <algorithm>

namespace smem_tiling {

inline constexpr const char* kName = "02_smem_tiling";

// kVector: elements per global load (8: 128 bits).
template <int kVector_, bool kPadded>
struct Config {
  static constexpr int BM = 128, BN = 128, BK = 16;
  static constexpr int TM = 8, TN = 8;
  static constexpr int kThreads = (BM / TM) * (BN / TN);
  static constexpr int kVector = kVector_;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;

  // Floats left free after every kVector k-rows of a tile in shared memory. The lanes of a store
  // hold kChunks different vectors of a row; the skew sends each of them to its own banks. (A
  // multiple of 4, so that 128-bit loads stay aligned.)
  static constexpr int kChunks = BK / kVector;
  static constexpr int kSkew = !kPadded || kChunks == 1 ? 0 : std::max(4, 32 / kChunks);

  // Where k-row `k` of a tile with `length` columns starts, and the whole tile's size, in floats.
  static constexpr int smem_row(int k, int length) { return k * length + k / kVector * kSkew; }
  static constexpr int smem_size(int length) { return smem_row(BK, length); }
};

}  // namespace smem_tiling

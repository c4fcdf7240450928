#pragma once
// Where results go, and the subtiles in which a consumer's accumulators leave.

#include "config.cuh"

#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace every_shape {

// C (M, N), N contiguous, rows `leading_dimension` apart. `width`: elements per store that its
// address and its leading dimension allow.
template <class T>
struct Output {
  T* data;
  int64_t leading_dimension;
  int m, n;
  int width;
  gpu::CachePolicy policy;  // Store::kTma; other stores ask the L2 to evict them first
  gpu::TensorMap map;       // Store::kTma
};

// Calls use with 0, 1, ... kCount - 1, as constants.
template <int kCount, class Use>
__device__ void for_each_constant(const Use& use) {
  [&]<int... kIndices>(std::integer_sequence<int, kIndices...>) {
    (use(std::integral_constant<int, kIndices>{}), ...);
  }
  (std::make_integer_sequence<int, kCount>{});
}

// A consumer's accumulators are those of kAtoms x kCols MMAs of 64 x MMA_N. They leave in subtiles
// of 64 rows, which are numbered MMA by MMA, row by row of MMAs.
template <class Config>
struct Subtiles {
  static constexpr int N = Config::MMA_N;
  // Stored by TMA: of 64 columns, or, transposed, of up to 64 in multiples of 16. Where N does not
  // divide evenly, the last one ends with the MMA, and has some columns of the one before, too.
  static constexpr bool kByTma = Config::kStore == Store::kTma;
  static constexpr int kFewest = N <= 64 && N % 16 == 0 ? 1 : std::max(2, (N + 63) / 64);
  static constexpr int kOfMma = Config::kSplitK > 1 ? Config::kSubtilesOfMma
                                : kByTma            ? kFewest
                                : N % 64 == 0       ? N / 64
                                : N % 32 == 0       ? N / 32
                                                    : N / 16;
  static constexpr int kCols =
      kByTma && !Config::kTransposed ? 64 : ((N + kOfMma - 1) / kOfMma + 15) / 16 * 16;  // of one
  static_assert(kCols <= N && (Config::kSplitK == 1 || N == kOfMma * kCols));
  static constexpr int kCount = Config::kAtoms * Config::kCols * kOfMma;
  static constexpr int kPairs = kCols / 4;  // of neighbouring elements, that a thread has of one

  // Transposed, by TMA: boxes by which each column is stored once, if they have more than eight
  // columns; boxes of eight took longer in most tilings than columns that are stored twice.
  static constexpr int kOwnOfLast = N - (kOfMma - 1) * kCols;  // that only the last subtile has
  static constexpr int kCommon = std::gcd(kCols, kOwnOfLast);
  static constexpr int kBoxCols = kCommon > 8 ? kCommon : kCols;
  // Columns of the last subtile that the one before it has stored.
  static constexpr int kRepeated = kCommon > 8 ? kCols - kOwnOfLast : 0;
  template <int kIndex>
  static constexpr int kStoredBefore = kIndex % kOfMma == kOfMma - 1 ? kRepeated : 0;

  // Where subtile kIndex begins in the consumer's rows of the tile.
  template <int kIndex>
  static constexpr int kDown = kIndex / kOfMma / Config::kCols * 64;
  template <int kIndex>
  static constexpr int kInMma = std::min(kIndex % kOfMma * kCols, N - kCols);
  template <int kIndex>
  static constexpr int kRight = (kIndex / kOfMma % Config::kCols) * N + kInMma<kIndex>;

  using Accumulators = float[Config::kAtoms][Config::kCols][N / 2];
  template <int kIndex>
  static __device__ auto of(auto& accumulators) {
    constexpr int kMma = kIndex / kOfMma;
    return &accumulators[kMma / Config::kCols][kMma % Config::kCols][kInMma<kIndex> / 2];
  }
};

}  // namespace every_shape

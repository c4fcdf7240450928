#pragma once
// Where results go, and the subtiles in which a consumer's accumulators leave.

#include "config.cuh"

#include <gpu/tensor_map.hpp>
#include <gpu/tma.hpp>

#include <algorithm>
#include <cstdint>
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
  static constexpr bool kByTma = Config::kStore == Store::kTma;
  static constexpr int kOfMma = kByTma                ? Config::kBox.parts
                                : Config::kSplitK > 1 ? Config::kSubtilesOfMma
                                : N % 64 == 0         ? N / 64
                                : N % 32 == 0         ? N / 32
                                                      : N / 16;
  static constexpr int kCols = kByTma ? Config::kBox.cols : N / kOfMma;  // of one
  static_assert(kCols <= N && (Config::kSplitK == 1 || N == kOfMma * kCols));
  static constexpr int kCount = Config::kAtoms * Config::kCols * kOfMma;
  static constexpr int kPairs = kCols / 4;  // of neighbouring elements, that a thread has of one

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

#pragma once
// The way out: from the accumulators of a warp through shared memory and the epilogue to C.

#include <gpu/convert.hpp>
#include <gpu/memory.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>

#include <core/aligned_vector.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

namespace swizzle_pipeline {

// Where results go: (m, n), n contiguous, rows `leading_dimension` apart. `width`: elements per
// store that addresses and rows allow. `part_size`: elements to the next part's matrix.
template <class Out>
struct Output {
  Out* data;
  int64_t leading_dimension;
  int m, n;
  int width;
  int64_t part_size = 0;

  __device__ Out* at(int row, int col) const { return data + row * leading_dimension + col; }
  __device__ Output part(int number) const {
    Output out = *this;
    out.data += number * part_size;
    return out;
  }
};

// How the accumulators reach C: through shared memory, or straight from where they lie.
enum class Store { kThroughSmem, kDirect };

template <class Out>
__device__ Out rounded(float value) {
  if constexpr (std::same_as<Out, float>) {
    return value;
  } else {
    return gpu::from_float<Out>(value);
  }
}
__device__ inline float widened(float value) {
  return value;
}
template <core::SmallFloat T>
__device__ float widened(T value) {
  return gpu::to_float(value);
}

// kCount neighbouring results of one row: one store where C allows it, single ones elsewhere.
template <int kCount, class Out, class Epilogue>
__device__ void store_results(const Output<Out>& c, const Epilogue& epilogue,
                              const float (&sums)[kCount], int row, int col) {
  if (row >= c.m || col >= c.n) return;
  Out* target = c.at(row, col);
  if (c.width >= kCount && col + kCount <= c.n) {
    core::AlignedVector<Out, kCount> out{};
    if constexpr (Epilogue::kReadsC) {
      const auto old = gpu::load_global_mutable<kCount>(target);
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        out.set(j, rounded<Out>(epilogue(sums[j], widened(old[j]), col + j)));
      }
    } else {
#pragma unroll
      for (int j = 0; j < kCount; ++j) out.set(j, rounded<Out>(epilogue(sums[j], 0.0f, col + j)));
    }
    gpu::store_global(target, out);
    return;
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    if (col + j >= c.n) break;
    float old = 0.0f;
    if constexpr (Epilogue::kReadsC) old = widened(target[j]);
    target[j] = rounded<Out>(epilogue(sums[j], old, col + j));
  }
}

// A warp's share of shared memory on the way out: 16 rows of its results. Rows are 8 floats longer
// than they need be: then neither the pairs of a fragment nor the quads of a row meet on a bank.
template <class Config>
struct Slab {
  static constexpr int kPitch = Config::WN + 8;
  alignas(16) float data[16 * kPitch];

  __device__ float* at(int row, int col) { return data + row * kPitch + col; }
};

// The accumulators of a thread lie in pairs, eight bytes here, eight bytes there. Through shared
// memory, 16 rows at a time, a lane gets 16 bytes of C, and the warp whole rows. `sum`: atoms of
// 16 x 8, of a warp tile that begins at (first_row, first_col).
template <class Config, class Out, class Epilogue>
__device__ void store_warp_tile(const Output<Out>& c, const Epilogue& epilogue,
                                const float (&sum)[Config::kAtomsM][Config::kAtomsN][4],
                                Slab<Config>& slab, int first_row, int first_col) {
  const int lane = gpu::lane_index();
  const int pair_row = lane / 4, pair_col = lane % 4 * 2;
  const auto for_each_pair = [&](int i, auto use) {
#pragma unroll
    for (int j = 0; j < Config::kAtomsN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        use(pair_row + 8 * half, j * 8 + pair_col, sum[i][j][2 * half], sum[i][j][2 * half + 1]);
      }
    }
  };
#pragma unroll
  for (int i = 0; i < Config::kAtomsM; ++i) {
    if constexpr (Config::kStore == Store::kDirect) {
      for_each_pair(i, [&](int row, int col, float left, float right) {
        const float pair[2] = {left, right};
        store_results(c, epilogue, pair, first_row + i * 16 + row, first_col + col);
      });
    } else {
      gpu::sync_warp();  // the lanes have taken what they wanted of the rows before
      for_each_pair(i, [&](int row, int col, float left, float right) {
        gpu::store_shared(slab.at(row, col), core::AlignedVector<float, 2>{left, right});
      });
      gpu::sync_warp();
      constexpr int kCount = 16 / sizeof(Out);  // 128 bits
      constexpr int kLanesPerRow = Config::WN / kCount;
      constexpr int kRowsAtOnce = gpu::kWarpSize / kLanesPerRow;
#pragma unroll
      for (int first = 0; first < 16; first += kRowsAtOnce) {
        const int row = first + lane / kLanesPerRow, col = lane % kLanesPerRow * kCount;
        float values[kCount];
#pragma unroll
        for (int part = 0; part < kCount; part += 4) {
          // Every other four lanes begin with their second quad: no two of eight meet on a bank.
          const int quad = kCount == 8 ? part ^ (lane / 4 % 2 * 4) : part;
          const auto four = gpu::load_shared<4>(slab.at(row, col + quad));
#pragma unroll
          for (int j = 0; j < 4; ++j) values[part + j] = four[j];
        }
        if (kCount == 8 && lane / 4 % 2 == 1) {
#pragma unroll
          for (int j = 0; j < 4; ++j) std::swap(values[j], values[kCount / 2 + j]);
        }
        store_results(c, epilogue, values, first_row + i * 16 + row, first_col + col);
      }
    }
  }
}

}  // namespace swizzle_pipeline

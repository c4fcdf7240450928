#pragma once
// From sums to C: rounding, and two ways of storing, in parts that can be sent one by one.

#include <core/aligned_vector.hpp>
#include <core/swizzle_mode.hpp>
#include <gpu/convert.hpp>
#include <gpu/global.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <cstdint>

namespace hilbert_schedule {

// How results leave the registers.
//   kDirect  by the threads' own stores, of 128 bits where B's rows are dealt
//   kTma     by stmatrix into boxes of 64 x 64 in shared memory, which the TMA stores
enum class Store { kDirect, kTma };

// Where results go: (m, n), n contiguous, rows `leading_dimension` apart. `width`: elements per
// store that addresses and rows allow.
template <class T>
struct Output {
  T* data;
  int64_t leading_dimension;
  int m, n;
  int width;
  gpu::CachePolicy policy;  // kTma; other stores ask the L2 to evict them first
  gpu::TensorMap map;       // kTma
};

// For kTma: each consumer's boxes, filled in turn.
template <class T, class Config, bool kUsed = Config::kStore == Store::kTma>
struct Staging {};
template <class T, class Config>
struct Staging<T, Config, true> {
  alignas(1024) T box[Config::kConsumers][Config::kBoxes][64 * 64];
};

// A consumer's results of a tile on their way to C: rounded, in pairs, as wgmma has the sums of its
// kAtoms x kCols products of 64 x N.
template <class T, class Config>
struct Outgoing {
  static constexpr int kAtoms = Config::kAtoms, kCols = Config::kCols, N = Config::MMA_N;
  static constexpr int kPartCols = N % 64 == 0 ? 64 : 32;  // a part is 64 rows of so many columns
  static constexpr int kAtomParts = N / kPartCols, kParts = kAtoms * kCols * kAtomParts;
  static constexpr int kNeighbours = Config::kNeighbours;
  // Or a tile would begin with the box that the one before ended with.
  static_assert(Config::kStore == Store::kDirect || kParts % Config::kBoxes == 0);
  using Pairs = std::uint32_t[kPartCols / 4];

  Pairs pairs[kParts];
  int row, col;
  bool any = false;

  // The results of the tile that starts at (row, col) of C come next.
  __device__ void start(int first_row, int first_col) {
    row = first_row, col = first_col, any = true;
  }
  // Takes part kPart of the sums.
  template <int kPart>
  __device__ void hold(const float (&sum)[kAtoms][kCols][N / 2]) {
    constexpr int kAtom = kPart / kAtomParts, kFirst = kPart % kAtomParts * kPartCols;
#pragma unroll
    for (int i = 0; i < kPartCols / 4; ++i) {
      const float* const pair = sum[kAtom / kCols][kAtom % kCols] + kFirst / 2 + 2 * i;
      pairs[kPart][i] = gpu::from_float<T>(pair[0], pair[1]).words[0];
    }
  }
  // Sends part kPart, if there are results.
  template <int kPart>
  __device__ void send(const Output<T>& c, Staging<T, Config>& staging, int consumer) const {
    constexpr int kAtom = kPart / kAtomParts, kFirst = kPart % kAtomParts * kPartCols;
    if (!any) return;
    const int part_row = row + kAtom / kCols * 64, part_col = col + kAtom % kCols * N + kFirst;
    if constexpr (Config::kStore == Store::kTma) {
      store_box(c, pairs[kPart], part_row, part_col, staging.box[consumer][kPart % Config::kBoxes],
                consumer);
    } else {
      store_registers(c, pairs[kPart], part_row, part_col);
    }
  }

 private:
  // Each thread has, of two rows, pairs that are 8 columns of B's tile apart. kNeighbours = 8: four
  // of these are neighbours in C, since B's rows were dealt out for it.
  static __device__ void store_registers(const Output<T>& c, const Pairs& pair, int first_row,
                                         int first_col) {
    constexpr int kPairs = kNeighbours / 2;
    const int lane = gpu::lane_index();
    const int row = first_row + gpu::warp_in_warpgroup() * 16 + lane / 4;
    const int col = first_col + lane % 4 * kNeighbours;
    const bool whole = c.width >= kNeighbours && first_col + kPartCols <= c.n;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (row + 8 * half >= c.m) break;
      T* const target = c.data + (row + 8 * half) * c.leading_dimension + col;
#pragma unroll
      for (int j = 0; j < kPartCols / 8; j += kPairs) {
        core::AlignedVector<T, kNeighbours> out;
#pragma unroll
        for (int i = 0; i < kPairs; ++i) out.words[i] = pair[2 * (j + i) + half];
        if (whole) {
          gpu::store_global_streaming(target + 8 * j, out);
        } else {
#pragma unroll
          for (int i = 0; i < kNeighbours; ++i) {
            if (col + 8 * j + i < c.n) target[8 * j + i] = out[i];
          }
        }
      }
    }
  }

  // Each warp has 16 rows of the box. TMA leaves out what lies outside of C.
  static __device__ void store_box(const Output<T>& c, const Pairs& pair, int first_row,
                                   int first_col, T* box, int consumer) {
    static_assert(kPartCols == 64, "a part fills a box");
    const bool sends = threadIdx.x % 128 == 0;
    if (sends) gpu::tma_store_wait_read<Config::kBoxes - 1>();  // what this box had has been read
    gpu::barrier_sync(1 + consumer, 128);
    const int row = gpu::warp_in_warpgroup() * 16 + gpu::lane_index() % 16;
#pragma unroll
    for (int j = 0; j < kPartCols / 8; j += 2) {  // two times 8 columns
      const std::uint32_t at = row * 128 + (j + gpu::lane_index() / 16) * 16;
      const std::uint32_t matrices[] = {pair[2 * j], pair[2 * j + 1], pair[2 * j + 2],
                                        pair[2 * j + 3]};
      gpu::stmatrix(box + core::swizzled(core::SwizzleMode::k128B, at) / sizeof(T), matrices);
    }
    gpu::fence_proxy_async_shared();  // or TMA might store what the box had before
    gpu::barrier_sync(1 + consumer, 128);
    if (!sends) return;
    const int at[] = {first_col, first_row};
    gpu::tma_store(c.map, at, box, c.policy);
    gpu::tma_store_commit();
  }
};

}  // namespace hilbert_schedule

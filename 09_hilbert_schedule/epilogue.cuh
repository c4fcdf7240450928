#pragma once
// From sums to C: a functor, rounding, and two ways of storing, in parts that can be sent one by
// one.

#include "functors.hpp"

#include <core/aligned_vector.hpp>
#include <core/swizzle_mode.hpp>
#include <gpu/convert.hpp>
#include <gpu/global.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/memory.hpp>
#include <gpu/sync.hpp>
#include <gpu/tensor_map.hpp>
#include <gpu/thread.hpp>
#include <gpu/tma.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace hilbert_schedule {

// How results leave the registers.
//   kDirect  by the threads' own stores, of 128 bits where B's rows are dealt
//   kTma     by stmatrix into boxes of 64 x 64 in shared memory, which the TMA stores
enum class Store { kDirect, kTma };

// C may have elements of 32 bits.
template <class TC>
__device__ TC from_float(float value) {
  if constexpr (std::same_as<TC, float>)
    return value;
  else
    return gpu::from_float<TC>(value);
}
template <class TC>
__device__ float to_float(TC value) {
  if constexpr (std::same_as<TC, float>)
    return value;
  else
    return gpu::to_float(value);
}

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

// Neighbours of a row, as they travel in one access.
template <class T, int kCount>
using Neighbours = core::AlignedVector<T, std::min<int>(kCount, 16 / sizeof(T))>;

// Stores what becomes of kCount neighbouring sums of a row, at (row, col) of C: as much as C has.
template <int kCount, class TC, class Functor>
__device__ void store_run(const Output<TC>& c, const Functor& functor, const float (&sum)[kCount],
                          const float (&of_column)[kCount], int row, int col) {
  if (row >= c.m) return;
  TC* const target = c.data + row * c.leading_dimension + col;
  const auto result = [&](int i) {
    float old = 0.0f;
    if constexpr (Functor::kReadsC) old = to_float(target[i]);
    return functor(sum[i], old, of_column[i]);
  };
  using Access = Neighbours<TC, kCount>;
  if (c.width < Access::kSize || col + kCount > c.n) {
    for (int i = 0; i < kCount && col + i < c.n; ++i) target[i] = from_float<TC>(result(i));
    return;
  }
#pragma unroll
  for (int first = 0; first < kCount; first += Access::kSize) {
    Access out;
#pragma unroll
    for (int i = 0; i < Access::kSize; i += 2) {
      const float low = result(first + i), high = result(first + i + 1);
      if constexpr (std::same_as<TC, float>) {
        out.words[i] = low, out.words[i + 1] = high;
      } else {
        out.words[i / 2] = gpu::from_float<TC>(low, high).words[0];
      }
    }
    gpu::store_global_streaming(target + first, out);
  }
}

// For kTma: each consumer's boxes, filled in turn.
template <class T, class Config, bool kUsed = Config::kStore == Store::kTma>
struct Staging {};
template <class T, class Config>
struct Staging<T, Config, true> {
  alignas(1024) T box[Config::kConsumers][Config::kBoxes][64 * 64];
};

// A consumer's results of a tile on their way to C: rounded, in pairs, as wgmma has the sums of its
// kAtoms x kCols products of 64 x N. Elements of 32 bits (TC) are stored as they are.
template <class T, class TC, class Config, class Functor>
struct Outgoing {
  static constexpr int kAtoms = Config::kAtoms, kCols = Config::kCols, N = Config::MMA_N;
  static constexpr int kPartCols = N % 64 == 0 ? 64 : 32;  // a part is 64 rows of so many columns
  static constexpr int kAtomParts = N / kPartCols, kParts = kAtoms * kCols * kAtomParts;
  static constexpr int kNeighbours = Config::kNeighbours;
  static constexpr bool kPacked = std::same_as<TC, T>;
  static_assert(kPacked || !Config::kDeferred);
  // Or a tile would begin with the box that the one before ended with.
  static_assert(Config::kStore == Store::kDirect || kParts % Config::kBoxes == 0);
  using Pairs = std::uint32_t[kPartCols / 4];

  // Is the thread's place in C kept ready, where there are registers for it?
  static constexpr bool kReady =
      Config::kStore == Store::kDirect && kPacked && 65536 / Config::kThreads >= Config::kSums + 40;
  Pairs pairs[kParts];
  int row, col;
  bool any = false;
  T* target;    // kReady: the thread's first result,
  bool inside;  // and whether C has all of the tile and takes wide stores

  // The results of the tile that starts at (row, col) of C come next.
  __device__ void start(const Output<TC>& c, int first_row, int first_col) {
    row = first_row, col = first_col, any = true;
    if constexpr (kReady) {
      const int lane = gpu::lane_index();
      const int own_row = row + gpu::warp_in_warpgroup() * 16 + lane / 4;
      target = c.data + own_row * c.leading_dimension + col + lane % 4 * kNeighbours;
      inside = c.width >= kNeighbours && row + Config::WM <= c.m && col + Config::BN <= c.n;
    }
  }
  // Brings what the functor reads of the tile's columns to shared memory. `column`: BN elements,
  // this consumer's. All its threads must meet before they use it.
  __device__ void bring_column(const Output<TC>& c, const Functor& functor, float* column) const {
    for (int i = threadIdx.x % 128; i < Config::BN; i += 128) {
      column[i] = col + i < c.n ? gpu::to_float(functor.column[col + i]) : 0.0f;
    }
  }
  // Reads what C holds into the places of part kPart, for hold() to use and replace.
  template <int kPart>
  __device__ void load(const Output<TC>& c) {
    for_each_run<kPart>([&](int first, int run_row, int run_col) {
      if (run_row >= c.m) return;
      const T* const source = c.data + run_row * c.leading_dimension + run_col;
      put(kPart, first, read(source, c.n - run_col));
    });
  }
  // Takes part kPart of the sums. `column` as above.
  template <int kPart>
  __device__ void hold(const float (&sum)[kAtoms][kCols][N / 2], const Functor& functor,
                       const float* column) {
    if constexpr (std::same_as<Functor, Identity>) {
      const float* const part = sums_of<kPart>(sum);
#pragma unroll
      for (int i = 0; i < kPartCols / 4; ++i) {
        pairs[kPart][i] = gpu::from_float<T>(part[2 * i], part[2 * i + 1]).words[0];
      }
    } else {
      float of_column[kNeighbours] = {};
      for_each_run<kPart>([&](int first, int, int run_col) {
        Run out = get(kPart, first);
        get_column(of_column, column, first, run_col);
        const auto result = [&](int i) {
          const float old = Functor::kReadsC ? gpu::to_float(out[i]) : 0.0f;
          return functor(sum_of<kPart>(sum, first, i), old, of_column[i]);
        };
#pragma unroll
        for (int i = 0; i < kNeighbours; i += 2) {
          out.words[i / 2] = gpu::from_float<T>(result(i), result(i + 1)).words[0];
        }
        put(kPart, first, out);
      });
    }
  }
  // Stores part kPart of the sums at once.
  template <int kPart>
  __device__ void store(const float (&sum)[kAtoms][kCols][N / 2], const Output<TC>& c,
                        const Functor& functor, const float* column) const {
    float of_column[kNeighbours] = {};
    for_each_run<kPart>([&](int first, int run_row, int run_col) {
      float run[kNeighbours];
      get_column(of_column, column, first, run_col);
#pragma unroll
      for (int i = 0; i < kNeighbours; ++i) run[i] = sum_of<kPart>(sum, first, i);
      store_run(c, functor, run, of_column, run_row, run_col);
    });
  }
  // Sends part kPart, if there are results.
  template <int kPart>
  __device__ void send(const Output<TC>& c, Staging<T, Config>& staging, int consumer) const {
    if (!any) return;
    if constexpr (Config::kStore == Store::kTma) {
      store_box(c, pairs[kPart], part_row<kPart>(), part_col<kPart>(),
                staging.box[consumer][kPart % Config::kBoxes], consumer);
    } else {
      if constexpr (kReady) {
        if (inside) return store_inside<kPart>(c.leading_dimension);
      }
      store_registers(c, pairs[kPart], part_row<kPart>(), part_col<kPart>());
    }
  }

 private:
  // Neighbours in a row of C. Each thread has, of two rows, pairs that are 8 columns of B's tile
  // apart. kNeighbours = 8: four of these are neighbours in C, since B's rows were dealt out for
  // it.
  using Run = core::AlignedVector<T, kNeighbours>;

  template <int kPart>
  static __device__ const float* sums_of(const float (&sum)[kAtoms][kCols][N / 2]) {
    constexpr int kAtom = kPart / kAtomParts, kFirst = kPart % kAtomParts * kPartCols;
    return sum[kAtom / kCols][kAtom % kCols] + kFirst / 2;
  }
  // Number i of the run that begins with pair `first`.
  template <int kPart>
  static __device__ float sum_of(const float (&sum)[kAtoms][kCols][N / 2], int first, int i) {
    return sums_of<kPart>(sum)[2 * (first + i / 2 * 2) + i % 2];
  }
  // What `column` has for the run that begins with pair `first`, in column `run_col` of C. Two runs
  // follow each other that lie one below the other: shared memory is asked once.
  __device__ void get_column(float (&of_column)[kNeighbours], const float* column, int first,
                             int run_col) const {
    if constexpr (Functor::kReadsColumn) {
      if (first % 2 != 0) return;
      constexpr int kWidth = std::min(kNeighbours, 4);
#pragma unroll
      for (int i = 0; i < kNeighbours; i += kWidth) {
        const auto some = gpu::load_shared<kWidth>(column + run_col - col + i);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) of_column[i + j] = some[j];
      }
    }
  }

  // Where part kPart begins in the tile, and in C.
  template <int kPart>
  static constexpr int kDown = kPart / kAtomParts / kCols * 64;
  template <int kPart>
  static constexpr int kRight = (kPart / kAtomParts % kCols) * N + (kPart % kAtomParts) * kPartCols;
  template <int kPart>
  __device__ int part_row() const {
    return row + kDown<kPart>;
  }
  template <int kPart>
  __device__ int part_col() const {
    return col + kRight<kPart>;
  }

  // Calls use(first, row, col) for each run of part kPart: the first of its pairs, which are two
  // apart, and where it begins in C.
  template <int kPart, class Use>
  __device__ void for_each_run(const Use& use) const {
    const int lane = gpu::lane_index();
    const int first_row = part_row<kPart>() + gpu::warp_in_warpgroup() * 16 + lane / 4;
    const int first_col = part_col<kPart>() + lane % 4 * kNeighbours;
#pragma unroll
    for (int j = 0; j < kPartCols / 8; j += kNeighbours / 2) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        use(2 * j + half, first_row + 8 * half, first_col + 8 * j);
      }
    }
  }
  __device__ Run get(int part, int first) const {
    Run run;
#pragma unroll
    for (int i = 0; i < kNeighbours / 2; ++i) run.words[i] = pairs[part][first + 2 * i];
    return run;
  }
  __device__ void put(int part, int first, const Run& run) {
#pragma unroll
    for (int i = 0; i < kNeighbours / 2; ++i) pairs[part][first + 2 * i] = run.words[i];
  }
  // A run of which `count` elements exist. Eight neighbours (dealt rows) go with 128-bit accesses
  // and with N in multiples of 32: then all of it exists, or nothing.
  static __device__ Run read(const T* source, int count) {
    Run run{};
    if constexpr (kNeighbours == 8) {
      if (count > 0) run = gpu::load_global_mutable<kNeighbours>(source);
    } else {
#pragma unroll
      for (int i = 0; i < kNeighbours; ++i) {
        if (i < count) run.set(i, source[i]);
      }
    }
    return run;
  }

  // Where there is nothing to ask: between the last product and a block's end each instruction
  // counts.
  template <int kPart>
  __device__ void store_inside(int64_t leading_dimension) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      T* const from = target + (kDown<kPart> + 8 * half) * leading_dimension + kRight<kPart>;
#pragma unroll
      for (int j = 0; j < kPartCols / 8; j += kNeighbours / 2) {
        gpu::store_global_streaming(from + 8 * j, get(kPart, 2 * j + half));
      }
    }
  }

  static __device__ void store_registers(const Output<TC>& c, const Pairs& pair, int first_row,
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
        Run out;
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
  static __device__ void store_box(const Output<TC>& c, const Pairs& pair, int first_row,
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

#pragma once
// From accumulators to C: an EpilogueOp, rounding, and subtiles that are stored one by one.

#include "store_direct.cuh"
#include "store_fp32.cuh"
#include "store_tma.cuh"

#include <core/numeric.hpp>
#include <gemm/epilogue_op.hpp>
#include <gpu/convert.hpp>
#include <gpu/memory.hpp>
#include <gpu/thread.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace every_shape {

// A consumer's results of a tile on their way to C: rounded, in pairs, as wgmma has the
// accumulators. Elements of C in fp32 (TC) are stored as they are.
template <class T, class TC, class Config, gemm::EpilogueOp Op>
struct Epilogue {
  using Subtiles = every_shape::Subtiles<Config>;
  using Accumulators = typename Subtiles::Accumulators;
  static constexpr int kSubtiles = Subtiles::kCount, kStoreWidth = Config::kStoreWidth;
  static constexpr bool kPacked = std::same_as<TC, T>;
  static_assert(kPacked || (std::same_as<TC, float> && !Config::kDeferred));
  static_assert(Config::kStore == Store::kDirect || Config::kTransposed || Subtiles::kCols == 64,
                "subtiles fill boxes");
  static_assert(!Config::kTransposed || std::same_as<Op, gemm::Identity>);

  // Is the thread's place in C kept ready, where there are registers for it?
  static constexpr bool kReady = Config::kStore == Store::kDirect && kPacked &&
                                 65536 / Config::kThreads >= Config::kAccumulators + 40;
  std::uint32_t pairs[kSubtiles][Subtiles::kPairs];
  int row, col;
  bool pending = false;
  T* target;    // kReady: the thread's first result,
  bool inside;  // and whether C has all of the tile and takes wide stores

  // The results of the tile that starts at (row, col) of C come next.
  __device__ void start(const Output<TC>& c, int first_row, int first_col) {
    row = first_row, col = first_col, pending = true;
    if constexpr (kReady) {
      const int lane = gpu::lane_index();
      const int own_row = row + gpu::warp_in_warpgroup() * 16 + lane / 4;
      target = c.data + own_row * c.leading_dimension + col + lane % 4 * kStoreWidth;
      inside = c.width >= kStoreWidth && row + Config::WM <= c.m && col + Config::BN <= c.n;
    }
  }
  // Loads what the EpilogueOp reads of the tile's columns into shared memory. `column`: BN
  // elements, this consumer's. All its threads must sync before they use it.
  __device__ void load_column(const Output<TC>& c, const Op& op, float* column) const {
    for (int i = threadIdx.x % 128; i < Config::BN; i += 128) {
      const bool there = op.column != nullptr && col + i < c.n;
      column[i] = there ? gpu::to_float(op.column[col + i]) : 0.0f;
    }
  }
  // Reads what C holds into the places of a subtile, for convert() to use and replace.
  template <int kSubtile>
  __device__ void load_c(const Output<TC>& c) {
    for_each_run<kSubtile>([&](int first, int run_row, int run_col) {
      if (run_row >= c.m) return;
      const T* const source = c.data + run_row * c.leading_dimension + run_col;
      put_run(pairs[kSubtile], first, load_run<Run>(source, c.n - run_col));
    });
  }
  // Takes the accumulators of a subtile. `column` as above.
  template <int kSubtile>
  __device__ void convert(const Accumulators& accumulators, const Op& op, const float* column) {
    if constexpr (std::same_as<Op, gemm::Identity>) {
      const float* const own = Subtiles::template of<kSubtile>(accumulators);
#pragma unroll
      for (int i = 0; i < Subtiles::kPairs; ++i) {
        pairs[kSubtile][i] = gpu::from_float<T>(own[2 * i], own[2 * i + 1]).words[0];
      }
    } else {
      float of_column[kStoreWidth] = {};
      for_each_run<kSubtile>([&](int first, int, int run_col) {
        Run out = get_run<Run>(pairs[kSubtile], first);
        get_column(of_column, column, first, run_col);
        const auto result = [&](int i) {
          const float old_c = Op::kReadsC ? gpu::to_float(out[i]) : 0.0f;
          return op(accumulator<kSubtile>(accumulators, first, i), old_c, of_column[i]);
        };
#pragma unroll
        for (int i = 0; i < kStoreWidth; i += 2) {
          out.words[i / 2] = gpu::from_float<T>(result(i), result(i + 1)).words[0];
        }
        put_run(pairs[kSubtile], first, out);
      });
    }
  }
  // Stores a subtile that convert() has had, if there is one.
  template <int kSubtile>
  __device__ void store(const Output<TC>& c, SmemC<T, Config>& smem_c, int consumer) const {
    if (!pending) return;
    const auto& subtile = pairs[kSubtile];
    const int first_row = row + Subtiles::template kDown<kSubtile>;
    const int first_col = col + Subtiles::template kRight<kSubtile>;
    if constexpr (Config::kStore == Store::kTma) {
      // A tile may begin with the box that the one before ended with.
      constexpr int kStoresInFlight = kSubtile == 0 ? 0 : Config::kBoxes - 1;
      store_box<Config::kTransposed, kStoresInFlight>(
          c, subtile, first_row, first_col, smem_c.box[consumer][kSubtile % Config::kBoxes],
          consumer);
    } else {
      if constexpr (kReady) {
        if (inside) {
          T* const from = target + Subtiles::template kDown<kSubtile> * c.leading_dimension +
                          Subtiles::template kRight<kSubtile>;
          return store_inside<Run, Subtiles::kCols>(from, c.leading_dimension, subtile);
        }
      }
      store_guarded<Run, Subtiles::kCols>(c, subtile, first_row, first_col);
    }
  }
  // C in fp32: stores the accumulators of a subtile at once.
  template <int kSubtile>
  __device__ void store_unpacked(const Accumulators& accumulators, const Output<TC>& c,
                                 const Op& op, const float* column) const {
    float of_column[kStoreWidth] = {};
    for_each_run<kSubtile>([&](int first, int run_row, int run_col) {
      float run[kStoreWidth];
      get_column(of_column, column, first, run_col);
#pragma unroll
      for (int i = 0; i < kStoreWidth; ++i) run[i] = accumulator<kSubtile>(accumulators, first, i);
      store_fp32(c, op, run, of_column, run_row, run_col);
    });
  }

 private:
  using Run = core::AlignedVector<T, kStoreWidth>;

  template <int kSubtile, class Use>
  __device__ void for_each_run(const Use& use) const {
    every_shape::for_each_run<kStoreWidth, Subtiles::kCols>(
        row + Subtiles::template kDown<kSubtile>, col + Subtiles::template kRight<kSubtile>, use);
  }
  // Number i of the run that begins with pair `first`.
  template <int kSubtile>
  static __device__ float accumulator(const Accumulators& accumulators, int first, int i) {
    return Subtiles::template of<kSubtile>(accumulators)[2 * (first + i / 2 * 2) + i % 2];
  }
  // What `column` has for the run that begins with pair `first`, in column `run_col` of C. Two runs
  // follow each other that lie one below the other: shared memory is asked once.
  __device__ void get_column(float (&of_column)[kStoreWidth], const float* column, int first,
                             int run_col) const {
    if constexpr (Op::kReadsColumn) {
      if (first % 2 != 0) return;
      constexpr int kWidth = std::min(kStoreWidth, 4);
#pragma unroll
      for (int i = 0; i < kStoreWidth; i += kWidth) {
        const auto some = gpu::load_shared<kWidth>(column + run_col - col + i);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) of_column[i + j] = some[j];
      }
    }
  }
};

}  // namespace every_shape

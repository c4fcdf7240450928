#pragma once
// From accumulators to C: an EpilogueOp, rounding, and subtiles that are stored one by one.

#include "linear.cuh"
#include "store_direct.cuh"
#include "store_fp32.cuh"
#include "store_tma.cuh"

#include <core/numeric.hpp>
#include <gpu/convert.hpp>
#include <gpu/memory.hpp>
#include <gpu/thread.hpp>

#include <concepts>
#include <cstdint>

namespace every_shape {

// Calls use(step) for each step of an EpilogueOp that does not read C. kRounds: convert() is next.
template <bool kRounds, class Op, class Use>
__device__ void for_each_step(const Op& op, const Use& use) {
  if constexpr (requires { op.relu(); }) {
    op.template for_each_step<kRounds>(use);
  } else {
    use(op);
  }
}

// A consumer's results of a tile on their way to C: rounded, in pairs, as wgmma has the
// accumulators. Elements of C in fp32 (TC) are stored as they are.
template <class T, class TC, class Config, class Op>
struct Epilogue {
  using Subtiles = every_shape::Subtiles<Config>;
  using Accumulators = typename Subtiles::Accumulators;
  static constexpr int kSubtiles = Subtiles::kCount, kStoreWidth = Config::kStoreWidth;
  static constexpr bool kPacked = std::same_as<TC, T>;
  static constexpr bool kByTma = kPacked && Config::kStore == Store::kTma;
  static_assert(kPacked || (std::same_as<TC, float> && !Config::kDeferred));
  static_assert(!Op::kReadsC || !(Op::kReadsColumn || Config::kTransposed));

  // Is the thread's place in C kept ready, where there are registers for it?
  static constexpr bool kReady = Config::kStore == Store::kDirect && kPacked &&
                                 65536 / Config::kThreads >= Config::kAccumulators + 40;
  std::uint32_t pairs[kSubtiles][Subtiles::kPairs];
  int row, col;
  bool pending = false;
  // In a deferred tile it would change the main loop's code: 8192 x 28672 x 8192 took 4.5% longer.
  const int first_place = kByTma && !Config::kDeferred ? place_in_box<Config>(0) : 0;
  T* target;    // kReady: the thread's first result,
  bool inside;  // and whether C has all of the tile and takes wide stores
  // Op::kReadsColumn: what this thread has loaded of the op's column vector. Of C^T the elements
  // for its own rows; otherwise a part of those for the tile's columns.
  static constexpr int kLoaded =
      Config::kTransposed ? 2 * Config::kAtoms : (Config::BN + 127) / 128;
  T loaded[kLoaded];

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
  // Loads what the op reads of its column vector for the tile that start() has been told.
  __device__ void load_column(const Output<TC>& c, const Op& op) {
    const int own_row = row + gpu::warp_in_warpgroup() * 16 + gpu::lane_index() / 4;
#pragma unroll
    for (int i = 0; i < kLoaded; ++i) {
      const int at = Config::kTransposed ? own_row + i / 2 * Config::MMA_M + i % 2 * 8
                                         : col + i * 128 + static_cast<int>(threadIdx.x) % 128;
      const bool there = op.column != nullptr && at < (Config::kTransposed ? c.m : c.n);
      loaded[i] = there ? op.column[at] : T{};
    }
  }
  // Puts what the threads of a consumer have loaded together: BN elements in shared memory.
  __device__ void put_column(T* column) const {
#pragma unroll
    for (int i = 0; i < kLoaded; ++i) {
      const int at = i * 128 + static_cast<int>(threadIdx.x) % 128;
      if (at < Config::BN) column[at] = loaded[i];
    }
  }
  // Changes the accumulators by an EpilogueOp that does not read C. `column`: as put_column() has
  // left it. Of C^T it is not used.
  template <gemm::EpilogueOp Step>
  __device__ void apply(Accumulators& accumulators, const Step& op, const T* column) const {
    // Columns of an MMA in eights, of each of which a thread has two in rows l / 4 and l / 4 + 8.
    constexpr int kEights = Config::MMA_N / 8, kAtOnce = kStoreWidth / 2;
#pragma unroll
    for (int j = 0; j < Config::kCols; ++j) {
#pragma unroll
      for (int eight = 0; eight < kEights; eight += kAtOnce) {
        Run of_run{};
        if constexpr (Step::kReadsColumn && !Config::kTransposed) {
          const int at = j * Config::MMA_N + eight * 8 + gpu::lane_index() % 4 * kStoreWidth;
          of_run = gpu::load_shared<kStoreWidth>(column + at);
        }
#pragma unroll
        for (int i = 0; i < 2 * Config::kAtoms; ++i) {
#pragma unroll
          for (int e = 0; e < kStoreWidth; ++e) {
            const T of_column = Config::kTransposed ? loaded[i] : of_run[e];
            float& own = accumulators[i / 2][j][4 * (eight + e / 2) + i % 2 * 2 + e % 2];
            own = op(own, 0.0f, Step::kReadsColumn ? gpu::to_float(of_column) : 0.0f);
          }
        }
      }
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
  // Takes the accumulators of a subtile, through the op if that reads C.
  template <int kSubtile>
  __device__ void convert(const Accumulators& accumulators, const Op& op) {
    if constexpr (!Op::kReadsC) {
      const float* const own = Subtiles::template of<kSubtile>(accumulators);
      if constexpr (requires { op.relu(); }) {
        if (op.relu()) {
#pragma unroll
          for (int i = 0; i < Subtiles::kPairs; ++i) {
            pairs[kSubtile][i] = gpu::from_float_relu<T>(own[2 * i], own[2 * i + 1]).words[0];
          }
          return;
        }
      }
#pragma unroll
      for (int i = 0; i < Subtiles::kPairs; ++i) {
        pairs[kSubtile][i] = gpu::from_float<T>(own[2 * i], own[2 * i + 1]).words[0];
      }
    } else {
      for_each_run<kSubtile>([&](int first, int, int) {
        Run out = get_run<Run>(pairs[kSubtile], first);
        const auto result = [&](int i) {
          return op(accumulator<kSubtile>(accumulators, first, i), gpu::to_float(out[i]), 0.0f);
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
    if constexpr (kByTma) {
      // A tile may begin with the box that the one before ended with.
      constexpr int kBoxes = Config::kBox.count;
      if constexpr (kSubtile >= kBoxes) {
        free_boxes<kBoxes - 1>(consumer);
      } else if constexpr (Config::kDeferred) {
        free_boxes<0>(consumer);
      }
      store_box<Config>(c, subtile, first_row, first_col, smem_c.box[consumer][kSubtile % kBoxes],
                        first_place, consumer);
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
  // C in fp32: stores the accumulators of a subtile at once, through the op if that reads C.
  template <int kSubtile>
  __device__ void store_unpacked(const Accumulators& accumulators, const Output<TC>& c,
                                 const Op& op) const {
    for_each_run<kSubtile>([&](int first, int run_row, int run_col) {
      float run[kStoreWidth];
#pragma unroll
      for (int i = 0; i < kStoreWidth; ++i) run[i] = accumulator<kSubtile>(accumulators, first, i);
      store_fp32(c, op, run, run_row, run_col);
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
};

}  // namespace every_shape

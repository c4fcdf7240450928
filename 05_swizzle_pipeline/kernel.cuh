#pragma once
// Chapter 05. Tiles travel from global to shared memory without passing through registers, several
// stages ahead; shared memory is swizzled instead of padded; results leave through shared memory in
// whole rows. C = epilogue(A B^T), A (M, K) and B (N, K) with K contiguous, C (M, N) with N
// contiguous.

#include "epilogue.hpp"
#include "parts.cuh"
#include "store.cuh"

#include <gemm/operands.hpp>
#include <gemm/thread_map.hpp>
#include <gpu/cp_async.hpp>
#include <gpu/launch.hpp>
#include <gpu/ldmatrix.hpp>
#include <gpu/memory.hpp>
#include <gpu/mma.hpp>
#include <gpu/shared.hpp>
#include <gpu/thread.hpp>
#include <layout/swizzle.hpp>

#include <algorithm>
#include <cstdint>

namespace swizzle_pipeline {

inline constexpr const char* kName = "05_swizzle_pipeline";

// For many outputs: 8 warps of 64 x 64, one block on an SM.
struct LargeTiles {
  static constexpr int BM = 128, BN = 256, BK = 64;
  static constexpr int WM = 64, WN = 64;
};

// For fewer: 4 warps of 64 x 64, two blocks on an SM.
struct MediumTiles {
  static constexpr int BM = 128, BN = 128, BK = 64;
  static constexpr int WM = 64, WN = 64;
};

// For few, and for operands whose copies are narrow: 4 warps of 32 x 32, several blocks on an SM.
struct SmallTiles {
  static constexpr int BM = 64, BN = 64, BK = 64;
  static constexpr int WM = 32, WN = 32;
};

// Half as deep: more stages fit, and a copy of single elements needs fewer registers.
template <class Tiles>
struct Shallow : Tiles {
  static constexpr int BK = 32;
};

enum class SmemLayout { kSwizzled, kPadded, kPlain };

// kStages: tiles of A and B in shared memory. kGroupRows: rows of tiles that are walked together.
// kVector: elements per copy (8: 128 bits).
template <class Tiles, int kStages_, int kVector_, SmemLayout kLayout_ = SmemLayout::kSwizzled,
          Store kStore_ = Store::kThroughSmem, int kGroupRows_ = 8>
struct Config : Tiles {
  using Tiles::BM, Tiles::BN, Tiles::BK, Tiles::WM, Tiles::WN;
  static constexpr int kStages = kStages_, kGroupRows = kGroupRows_, kVector = kVector_;
  static constexpr SmemLayout kLayout = kLayout_;
  static constexpr Store kStore = kStore_;
  static constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16;
  static constexpr int kAtomsM = WM / MMA_M, kAtomsN = WN / MMA_N, kSlices = BK / MMA_K;
  static_assert(BM % WM == 0 && BN % WN == 0 && WN % 16 == 0 && kStages >= 2);

  static constexpr int kWarpsM = BM / WM, kWarpsN = BN / WN;
  static constexpr int kThreads = kWarpsM * kWarpsN * gpu::kWarpSize;
  using MapA = gemm::ThreadMap<BM, BK, kThreads, kVector>;
  using MapB = gemm::ThreadMap<BN, BK, kThreads, kVector>;

  // Eight rows of a tile, 16 bytes of each, are what ldmatrix reads at once, and what eight threads
  // of a copy write. Rows lie BK elements apart: with 128 bytes all eight would be on the same four
  // banks. The swizzle xors the row's number into the number of the 16-byte piece (M = 3: 8
  // elements stay together).
  static constexpr int kPitch = kLayout == SmemLayout::kPadded ? BK + 8 : BK;
  static constexpr layout::Swizzle swizzle() {
    if (kLayout != SmemLayout::kSwizzled) return {};
    return layout::swizzle_for_columns(BK, 16, 8);
  }
  // Where element (row, col) of a tile lies.
  static constexpr int smem_offset(int row, int col) { return swizzle()(row * kPitch + col); }
  // `slice` slices further in the same row, from an offset in slice 0. The swizzle is an
  // exclusive-or, and the slice's number stands in bits that are 0 in slice 0: one more of it leads
  // there.
  static constexpr int smem_slice(int offset, int slice) {
    return kLayout == SmemLayout::kSwizzled ? offset ^ slice * MMA_K : offset + slice * MMA_K;
  }
};

template <class T, class Config>
struct SharedStorage {
  struct Stage {
    alignas(128) T a[Config::BM * Config::kPitch];  // (BM, BK) K-major
    alignas(128) T b[Config::BN * Config::kPitch];  // (BN, BK) K-major
  };
  union {
    Stage stage[Config::kStages];
    Slab<Config> slab[Config::kThreads / gpu::kWarpSize];  // once the stages are done with
  };
};

// Sends kVector elements on their way to shared memory; zeros where `inside` is false.
template <int kVector, class T>
__device__ void copy_vector(T* smem, const T* global, bool inside) {
  if constexpr (kVector * sizeof(T) >= 4) {
    gpu::cp_async_if<kVector * sizeof(T)>(inside, smem, global);
  } else {  // 16 bits are too few for cp.async
    *smem = gpu::load_global_if<1>(inside, global)[0];
  }
}

// What a thread copies of every tile of one operand. Rows behind the matrix's end become zeros, and
// so does what lies behind its last column.
template <class T, class Config, class Map>
struct TileCopy {
  const T* source;   // of the first row
  int64_t next_row;  // elements from one of this thread's rows to the next
  int rows;          // of these rows, how many the matrix has
  int col;           // first column of this thread within a tile
  int depth;

  __device__ TileCopy(const T* matrix, int64_t leading_dimension, int first_row, int rows_, int k)
      : next_row(Map::kDeltaStrided * leading_dimension),
        col(Map::col(static_cast<int>(threadIdx.x), 0)),
        depth(k) {
    static_assert(Map::kIterationsContiguous == 1);
    const int row = first_row + Map::row(static_cast<int>(threadIdx.x), 0);
    source = matrix + row * leading_dimension + col;
    rows = row < rows_ ? gemm::ceil_div(rows_ - row, Map::kDeltaStrided) : 0;
  }

  // Sends the tile that begins in column `first_k` on its way.
  __device__ void issue(T* smem, int first_k) const {
    const int thread = static_cast<int>(threadIdx.x);
    // A vector is inside or outside as a whole.
    const int inside = first_k + col < depth ? rows : 0;
#pragma unroll
    for (int i = 0; i < Map::kIterationsStrided; ++i) {
      if (!Map::holds(thread, i)) continue;
      copy_vector<Config::kVector>(smem + Config::smem_offset(Map::row(thread, i), col),
                                   source + first_k + i * next_row, i < inside);
    }
  }
};

// What a warp multiplies: one k-slice of its tile of A and of B, and the sums they are added to.
template <class T, class Config>
struct WarpTile {
  static constexpr int kAtomsM = Config::kAtomsM, kAtomsN = Config::kAtomsN;

  std::uint32_t a[2][kAtomsM][4];  // double buffer: slice in use, slice under way
  std::uint32_t b[2][kAtomsN][2];
  float sum[kAtomsM][kAtomsN][4] = {};

  // `smem_a`, `smem_b`: the row and column of the slice that this lane addresses for ldmatrix.
  __device__ void load(int buffer, const T* smem_a, const T* smem_b) {
#pragma unroll
    for (int i = 0; i < kAtomsM; ++i) {
      gpu::ldmatrix(a[buffer][i], smem_a + i * 16 * Config::kPitch);
    }
#pragma unroll
    for (int j = 0; j < kAtomsN; j += 2) {  // four 8 x 8 matrices feed two atoms
      std::uint32_t both[4];
      gpu::ldmatrix(both, smem_b + j * 8 * Config::kPitch);
      b[buffer][j][0] = both[0], b[buffer][j][1] = both[1];
      b[buffer][j + 1][0] = both[2], b[buffer][j + 1][1] = both[3];
    }
  }

  __device__ void multiply(int buffer) {
#pragma unroll
    for (int j = 0; j < kAtomsN; ++j) {
#pragma unroll
      for (int i = 0; i < kAtomsM; ++i) {
        const int row = j % 2 == 0 ? i : kAtomsM - 1 - i;  // there and back: a stays at hand
        gpu::mma_m16n8k16<T>(sum[row][j], a[buffer][row], b[buffer][j]);
      }
    }
  }
};

// Tiles of C in groups of kGroupRows rows, column by column within a group: blocks that run at the
// same time share rows of A and of B while these are in the L2. One row at a time is row-major.
struct TilePosition {
  int row, col;
};
template <int kGroupRows>
__device__ TilePosition tile_position(int tile, int tiles_m, int tiles_n) {
  const int per_group = kGroupRows * tiles_n;
  const int first_row = tile / per_group * kGroupRows;
  const int rows = std::min(kGroupRows, tiles_m - first_row);
  return {first_row + tile % per_group % rows, tile % per_group / rows};
}

// The tiles along K that a part of a split problem multiplies. No part has more than one tile more
// than another; what K leaves of the last tile falls to the last part.
struct KRange {
  int first, end;
};
__device__ inline KRange k_range(int part, int parts, int k_tiles) {
  const auto begin = [&](int p) {
    return static_cast<int>(static_cast<int64_t>(p) * k_tiles / parts);
  };
  return {begin(part), begin(part + 1)};
}

// blockIdx.x: the tile of C. blockIdx.y: the part of K. `c` is where results go: C, or with several
// parts fp32 sums, one matrix for each part; or C with a place where its parts meet.
template <class T, class Config, class Target, class Epilogue>
__global__ void __launch_bounds__(Config::kThreads)
    gemm_kernel(const gemm::Operands<T> g, const Target c, const Epilogue epilogue) {
  constexpr int BM = Config::BM, BN = Config::BN, BK = Config::BK;
  constexpr int kStages = Config::kStages, kSlices = Config::kSlices;
  auto& smem = gpu::dynamic_smem<SharedStorage<T, Config>>();

  const TilePosition position = tile_position<Config::kGroupRows>(
      static_cast<int>(blockIdx.x), gemm::ceil_div(g.m, BM), gemm::ceil_div(g.n, BN));
  const int block_row = position.row * BM, block_col = position.col * BN;
  const int warp = gpu::warp_index(), lane = gpu::lane_index();
  const int warp_row = warp / Config::kWarpsN * Config::WM;
  const int warp_col = warp % Config::kWarpsN * Config::WN;

  const TileCopy<T, Config, typename Config::MapA> copy_a(g.a, g.lda, block_row, g.m, g.k);
  const TileCopy<T, Config, typename Config::MapB> copy_b(g.b, g.ldb, block_col, g.n, g.k);
  const KRange range =
      k_range(static_cast<int>(blockIdx.y), static_cast<int>(gridDim.y), gemm::ceil_div(g.k, BK));
  const auto issue = [&](int k_tile, int stage) {
    if (k_tile < range.end) {
      copy_a.issue(smem.stage[stage].a, k_tile * BK);
      copy_b.issue(smem.stage[stage].b, k_tile * BK);
    }
    gpu::cp_async_commit();  // also when there was nothing left: the count of groups must go on
  };

  // The row and 8 columns of slice 0 that this lane addresses for ldmatrix.
  const int lane_a = Config::smem_offset(warp_row + lane % 16, lane / 16 * 8);
  const int lane_b = Config::smem_offset(warp_col + lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8);
  WarpTile<T, Config> tile;
  const auto load_slice = [&](int buffer, int stage, int slice) {
    tile.load(buffer, smem.stage[stage].a + Config::smem_slice(lane_a, slice),
              smem.stage[stage].b + Config::smem_slice(lane_b, slice));
  };

#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) issue(range.first + stage, stage);
  gpu::cp_async_wait<kStages - 2>();  // the first tile has arrived, as far as this thread is
  __syncthreads();                    // concerned; now as far as all are

  int stage = 0, free_stage = kStages - 1;
  load_slice(0, stage, 0);
  for (int k_tile = range.first; k_tile < range.end; ++k_tile) {
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      if (slice == kSlices - 1) {
        gpu::cp_async_wait<kStages - 2>();
        __syncthreads();  // the next tile is complete, and no one reads the one before this
        stage = stage + 1 == kStages ? 0 : stage + 1;
      }
      load_slice((slice + 1) % 2, stage, (slice + 1) % kSlices);
      if (slice == kSlices / 2 - 1) {  // the first fragments are there: no load waits for these
        issue(k_tile + kStages - 1, free_stage);
        free_stage = free_stage + 1 == kStages ? 0 : free_stage + 1;
      }
      tile.multiply(slice % 2);
    }
  }
  gpu::cp_async_wait_all();
  __syncthreads();  // the stages are free for the results

  if constexpr (requires { c.arrived; }) {
    if (!sum_of_parts<Config>(c, tile.sum)) return;
  }
  store_warp_tile<Config>(c.part(static_cast<int>(blockIdx.y)), epilogue, tile.sum, smem.slab[warp],
                          block_row + warp_row, block_col + warp_col);
}

// Adds up the parts of a split problem, in a fixed order, and rounds once. Blocks of 256 threads,
// one result each.
template <class Out, class Epilogue>
__global__ void __launch_bounds__(256) reduce_kernel(const Output<float> parts, const int count,
                                                     const Output<Out> c, const Epilogue epilogue) {
  const auto index = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (index >= static_cast<int64_t>(c.m) * c.n) return;
  const int row = static_cast<int>(index / c.n), col = static_cast<int>(index % c.n);
  float sum[1] = {0.0f};
#pragma unroll 8
  for (int part = 0; part < count; ++part) sum[0] += parts.part(part).at(row, col)[0];
  store_results(c, epilogue, sum, row, col);
}

}  // namespace swizzle_pipeline
